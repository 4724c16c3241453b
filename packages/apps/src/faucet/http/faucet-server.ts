import { createServer, type RequestListener } from 'node:http'
import type { Address, Clock, Logger } from '@keelson/primitives'
import type { IpNetwork, Metrics, Service } from '@keelson/runtime'
import { type FastifyInstance, fastify } from 'fastify'
import { refuseUndecodable } from '../../http-faults.ts'
import type { ClaimRecords } from '../claims/claim-records.ts'
import type { ClaimService } from '../claims/claim-service.ts'
import type { QuotaLedger } from '../claims/quota-ledger.ts'
import type { TierRecords } from '../tiers/tier-records.ts'
import type { TierService } from '../tiers/tier-service.ts'
import { createRequestLimit } from './caller.ts'
import { addClaimRoutes } from './claim-routes.ts'
import { type Entrance, earlyRefusal } from './entrance.ts'
import { addErrorHandlers, addRequestHooks } from './request-hooks.ts'
import { Requests } from './requests.ts'
import { addTierRoutes } from './tier-routes.ts'

export interface FaucetServerOptions {
  readonly trustedProxies: readonly IpNetwork[]
  readonly corsOrigins: readonly string[]
  readonly requestsPerSec: number
  readonly requestBurst: number
  readonly localAccounts: boolean
  readonly account: Address
  readonly chainId: bigint
  readonly amountWei: bigint
}

export interface FaucetServerDependencies {
  readonly entrance: Entrance
  readonly claims: ClaimService
  readonly tierService: TierService
  readonly tiers: TierRecords
  readonly records: ClaimRecords
  readonly ledger: QuotaLedger
  readonly trouble: () => { readonly reason: string } | null
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: Metrics
}

export interface FaucetServer extends Service {
  readonly url: string
}

const MAX_BODY_BYTES = 8_192
/** Low, because each sign-in takes two calls to the account provider. */
const SIGN_INS_OF_CALLER = { perSec: 0.1, burst: 10 }

export function createFaucetServer(options: FaucetServerOptions, deps: FaucetServerDependencies): FaucetServer {
  return new HttpFaucetServer(options, deps)
}

class HttpFaucetServer implements FaucetServer {
  readonly name = 'faucet API'
  readonly #entrance: Entrance
  readonly #handler: RequestListener
  readonly #app: FastifyInstance
  readonly #stopping = new AbortController()

  constructor(options: FaucetServerOptions, deps: FaucetServerDependencies) {
    const { claims, clock, entrance, metrics, tierService, tiers } = deps
    const { account, requestsPerSec, requestBurst, trustedProxies } = options
    const log = deps.log.child('http')
    this.#entrance = entrance
    const { app, handler } = createApp(clock)
    this.#app = app
    this.#handler = handler
    const { signal } = this.#stopping
    const requests = new Requests({ account, trustedProxies, nextClaimAtMs: (subscriber) => claims.nextClaimAtMs(subscriber) })
    const limit = createRequestLimit({ perSec: requestsPerSec, burst: requestBurst }, clock)
    addRequestHooks(app, options.corsOrigins, { requests, limit, clock, metrics })
    addErrorHandlers(app, MAX_BODY_BYTES, requests, log)
    addClaimRoutes(app, options, { ...deps, requests, signal })
    const signIns = options.localAccounts ? null : createRequestLimit(SIGN_INS_OF_CALLER, clock)
    addTierRoutes(app, { requests, tierService, tiers, signIns, signal })
  }

  get url(): string {
    return this.#entrance.url
  }

  async start(): Promise<void> {
    await this.#app.ready()
    this.#entrance.serve(this.#handler)
    await this.#entrance.start()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#entrance.stop()
    await this.#app.close()
  }
}

function createApp(clock: Clock): { readonly app: FastifyInstance; readonly handler: RequestListener } {
  let handler: RequestListener = () => undefined
  const app: FastifyInstance = fastify({
    bodyLimit: MAX_BODY_BYTES,
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: true },
    frameworkErrors: (error, request, reply) => refuseUndecodable(earlyRefusal('the path cannot be decoded', clock))(error, request, reply),
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
    // It never listens: the entrance passes the requests on.
    serverFactory(given) {
      handler = given
      return createServer()
    },
  })
  return { app, handler }
}
