import type { Clock, Logger } from '@keelson/primitives'
import {
  createRpcAccess,
  fastifyServer,
  type IpNetwork,
  listen,
  type Metrics,
  type Service,
  shareConnections,
  type TokenBucketOptions,
} from '@keelson/runtime'
import { type FastifyInstance, fastify } from 'fastify'
import { refuseUndecodable, renderFaults } from '../../http-faults.ts'
import { LONGEST_WAIT_MS } from '../verify/compile-queue.ts'
import type { Compilers } from '../verify/compilers/compilers.ts'
import type { ProjectContracts } from '../verify/project-contracts.ts'
import { addErrorHandlers, addRequestHooks } from './request-hooks.ts'
import { addRoutes, type RoutesDependencies } from './routes.ts'
import { addVerifyRoutes } from './verify-routes.ts'

export interface IndexHttpOptions {
  readonly host: string
  readonly port: number
  readonly virtualHosts: readonly string[]
  readonly corsOrigins: readonly string[]
  readonly rate: TokenBucketOptions
  readonly trusted: readonly IpNetwork[]
  /** Proxies whose X-Forwarded-For is trusted. */
  readonly proxies: readonly IpNetwork[]
}

export interface IndexHttpDependencies extends RoutesDependencies {
  readonly projectContracts: ProjectContracts
  readonly compilers: Compilers
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
}

export interface IndexHttp extends Service {
  readonly app: FastifyInstance
}

const MAX_BODY_BYTES = 1_024
const MAX_HEADER_BYTES = 8_192
const CONNECTIONS = { max: 1_000, perCaller: 32, perNetwork: 128 }
const REQUEST_TIMEOUT_MS = 10_000
const KEEP_ALIVE_MS = 20_000

export function createIndexHttp(options: IndexHttpOptions, deps: IndexHttpDependencies): IndexHttp {
  const { clock, metrics } = deps
  const log = deps.log.child('http')
  const access = createRpcAccess({ trusted: options.trusted, proxies: options.proxies }, { clock, anonymous: () => options.rate })
  const app = fastify({
    logger: false,
    bodyLimit: MAX_BODY_BYTES,
    ...fastifyServer({
      allowed: () => 'GET, HEAD, OPTIONS',
      virtualHosts: options.virtualHosts,
      renderFault: renderFaults('a path that GET / lists'),
      node: {
        requestTimeout: REQUEST_TIMEOUT_MS,
        keepAliveTimeout: KEEP_ALIVE_MS,
        maxHeaderSize: MAX_HEADER_BYTES,
        connectionsCheckingInterval: 1_000,
      },
      // A socket is silent while its request waits for the compiler.
      connectionTimeoutMs: LONGEST_WAIT_MS + 2 * REQUEST_TIMEOUT_MS,
    }),
    frameworkErrors: refuseUndecodable({
      error: 'bad-request',
      message: 'the path cannot be decoded',
      expected: 'a path that GET / lists',
    }),
    routerOptions: { maxParamLength: MAX_HEADER_BYTES, ignoreTrailingSlash: true },
  })
  shareConnections(app.server, CONNECTIONS, access.connectionGroup, { clock, log })
  addRequestHooks(app, options, access, metrics)
  addErrorHandlers(app, log)
  const guard = { clock, indexedBlock: () => deps.follower.cursor?.number ?? null, waiting: 0 }
  addRoutes(app, deps, guard)
  const verifying = addVerifyRoutes(app, options, deps, guard)
  return {
    name: 'index HTTP',
    app,
    async start() {
      await app.ready()
      await listen(app.server, { host: options.host, port: options.port, purpose: 'index', option: '--http.port' })
    },
    async stop() {
      const closed = new Promise<void>((resolve) => app.server.close(() => resolve()))
      verifying.stop()
      app.server.closeIdleConnections()
      await closed
      await app.close()
    },
  }
}
