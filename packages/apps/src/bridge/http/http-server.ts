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
import { PATHS } from './refusal.ts'
import { addErrorHandlers, addRequestHooks } from './request-hooks.ts'
import { addRoutes, type RoutesDependencies } from './routes.ts'

export interface BridgeHttpOptions {
  readonly host: string
  readonly port: number
  readonly virtualHosts: readonly string[]
  readonly corsOrigins: readonly string[]
  readonly rate: TokenBucketOptions
  readonly trusted: readonly IpNetwork[]
  /** Proxies whose X-Forwarded-For is trusted. */
  readonly proxies: readonly IpNetwork[]
}

export interface BridgeHttpDependencies extends RoutesDependencies {
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
}

export interface BridgeHttp extends Service {
  readonly app: FastifyInstance
}

const MAX_BODY_BYTES = 1_024
const MAX_HEADER_BYTES = 8_192
const CONNECTIONS = { max: 1_000, perCaller: 32, perNetwork: 128 }
const REQUEST_TIMEOUT_MS = 10_000
const KEEP_ALIVE_MS = 20_000

export function createBridgeHttp(options: BridgeHttpOptions, deps: BridgeHttpDependencies): BridgeHttp {
  const { clock, log, metrics } = deps
  const access = createRpcAccess({ trusted: options.trusted, proxies: options.proxies }, { clock, anonymous: () => options.rate })
  const app = fastify({
    logger: false,
    bodyLimit: MAX_BODY_BYTES,
    ...fastifyServer({
      allowed: () => 'GET, HEAD, OPTIONS',
      virtualHosts: options.virtualHosts,
      renderFault: renderFaults(PATHS),
      node: {
        requestTimeout: REQUEST_TIMEOUT_MS,
        keepAliveTimeout: KEEP_ALIVE_MS,
        maxHeaderSize: MAX_HEADER_BYTES,
        connectionsCheckingInterval: 1_000,
      },
      connectionTimeoutMs: 2 * REQUEST_TIMEOUT_MS,
    }),
    frameworkErrors: refuseUndecodable({ error: 'bad-request', message: 'the path cannot be decoded', expected: PATHS }),
    routerOptions: { maxParamLength: MAX_HEADER_BYTES, ignoreTrailingSlash: true },
  })
  shareConnections(app.server, CONNECTIONS, access.connectionGroup, { clock, log })
  addRequestHooks(app, options, access, metrics)
  addErrorHandlers(app, log)
  addRoutes(app, deps)

  return {
    name: 'bridge HTTP',
    app,
    async start() {
      await app.ready()
      await listen(app.server, { host: options.host, port: options.port, purpose: 'bridge status', option: '--http.port' })
      log.info('bridge status service listening', {
        host: options.host,
        port: options.port,
        origins: options.corsOrigins.join(',') || 'none',
      })
    },
    async stop() {
      const closed = new Promise<void>((resolve) => app.server.close(() => resolve()))
      app.server.closeIdleConnections()
      await closed
      await app.close()
    },
  }
}
