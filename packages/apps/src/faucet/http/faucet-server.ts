import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Address, Clock, Logger } from '@keelson/primitives'
import { type IpNetwork, listen, type Metrics, type Service, serverUrl, shareConnections } from '@keelson/runtime'
import { type FastifyInstance, fastify } from 'fastify'
import { type EarlyMistake, earlyErrors } from '../../http-errors.ts'
import type { ClaimRecords } from '../claims/claim-records.ts'
import type { ClaimService } from '../claims/claim-service.ts'
import type { QuotaLedger } from '../claims/quota-ledger.ts'
import type { TierRecords } from '../tiers/tier-records.ts'
import type { TierService } from '../tiers/tier-service.ts'
import { timeText } from './answers.ts'
import { connectedCaller, createRequestLimit } from './caller.ts'
import { addClaimRoutes } from './claim-routes.ts'
import { addErrorHandlers, addRequestHooks } from './request-hooks.ts'
import { Requests } from './requests.ts'
import { addTierRoutes } from './tier-routes.ts'

export interface FaucetServerOptions {
  readonly host: string
  readonly port: number
  readonly option?: string
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
const CONNECTIONS = { max: 4_096, perCaller: 64, perNetwork: 512 }
/** Low, because each sign-in takes two calls to the account provider. */
const SIGN_INS_OF_CALLER = { perSec: 0.1, burst: 10 }
const REQUEST_TIMEOUT_MS = 10_000
const KEEP_ALIVE_MS = 20_000

const EARLY: Readonly<Record<EarlyMistake, string>> = {
  path: 'the path cannot be decoded',
  'too-long': 'the path and the headers are too long',
  'too-slow': 'the request did not arrive in time',
  'not-http': 'the request is not valid HTTP',
}

export function createFaucetServer(options: FaucetServerOptions, deps: FaucetServerDependencies): FaucetServer {
  return new HttpFaucetServer(options, deps)
}

class HttpFaucetServer implements FaucetServer {
  readonly name = 'faucet API'
  readonly #options: FaucetServerOptions
  readonly #server: Server
  readonly #app: FastifyInstance
  readonly #stopping = new AbortController()
  #bound: AddressInfo | undefined

  constructor(options: FaucetServerOptions, deps: FaucetServerDependencies) {
    const { claims, clock, metrics, tierService, tiers } = deps
    const { account, requestsPerSec, requestBurst, trustedProxies } = options
    const log = deps.log.child('http')
    this.#options = options
    const { app, server } = createApp(trustedProxies, clock, log)
    this.#app = app
    this.#server = server
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
    if (this.#bound === undefined) throw new Error('the faucet is not listening: start it first')
    return serverUrl('http', this.#bound)
  }

  async start(): Promise<void> {
    const { host, port, option } = this.#options
    await this.#app.ready()
    this.#bound = await listen(this.#server, { host, port, purpose: 'faucet', ...(option === undefined ? {} : { option }) })
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.#server.closeAllConnections()
    await closed
    await this.#app.close()
  }
}

function createApp(trustedProxies: readonly IpNetwork[], clock: Clock, log: Logger) {
  const timing = { requestTimeout: REQUEST_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_MS, connectionsCheckingInterval: 1_000 }
  const server = createServer({ ...timing, maxHeaderSize: 16_384 })
  shareConnections(server, CONNECTIONS, (peer) => connectedCaller(peer, trustedProxies), { clock, log })
  const app: FastifyInstance = fastify({
    bodyLimit: MAX_BODY_BYTES,
    routerOptions: { maxParamLength: 200 },
    // The caller's quotas are unknown, so `nextClaimTime` is now.
    ...earlyErrors((mistake) => ({ success: false, error: EARLY[mistake], code: 'request', nextClaimTime: timeText(clock.nowMs()) })),
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
    serverFactory: (handler) => server.on('request', handler),
  })
  return { app, server }
}
