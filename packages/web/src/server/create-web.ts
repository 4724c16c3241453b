import { setMaxListeners } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Clock, Logger } from '@keelson/primitives'
import {
  AnswerMemory,
  AnswersFullError,
  createByteBudget,
  createHttpClient,
  createRpcAccess,
  fastifyServer,
  type IpNetwork,
  isAllowedHost,
  listen,
  type Metrics,
  type RenderFault,
  type Service,
  serverUrl,
  shareConnections,
  type TokenBucketOptions,
} from '@keelson/runtime'
import { type FastifyInstance, fastify } from 'fastify'
import type { AbiDocument } from '../shared/abi-document.ts'
import type { ConfigDocument, ServiceName } from '../shared/config-document.ts'
import { createCallers } from './callers.ts'
import type { StaticFiles } from './files/static-files.ts'
import type { IncidentStore } from './network/incident-file.ts'
import { createNetworkWatch, type NetworkWatch } from './network/network-watch.ts'
import type { NamedUrl } from './network/read-node.ts'
import { addPageRoutes } from './page-routes.ts'
import { refuse } from './proxy/refusal.ts'
import { addRpcRoutes } from './proxy/rpc-routes.ts'
import { addServiceRoutes } from './proxy/service-routes.ts'
import { addVerificationRoutes, UPLOAD_TIMEOUT_MS } from './proxy/verification-routes.ts'

export interface WebOptions {
  readonly host: string
  readonly port: number
  /** Host names served; * for all. IP addresses are always served. */
  readonly virtualHosts: readonly string[]
  readonly nodes: Readonly<Record<'l1' | 'l2', string | null>>
  readonly services: Readonly<Record<ServiceName, string | null>>
  readonly watched: { readonly nodes: readonly NamedUrl[]; readonly roles: readonly NamedUrl[] }
  readonly rate: TokenBucketOptions
  readonly trusted: readonly IpNetwork[]
  /** Proxies whose X-Forwarded-For is trusted. */
  readonly proxies: readonly IpNetwork[]
}

export interface WebDependencies {
  readonly files: StaticFiles
  readonly config: ConfigDocument
  readonly abis: AbiDocument
  readonly incidentStore: IncidentStore
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
}

export interface Web extends Service {
  readonly app: FastifyInstance
  readonly url: string
  readonly network: NetworkWatch
}

const MAX_HEADER_BYTES = 16_384
/** Bodies are passed on as text; the platform takes logins as forms. */
const BODY_TYPES = ['application/json', 'application/x-www-form-urlencoded']
const CONNECTIONS = { max: 2_000, perCaller: 64, perNetwork: 256 }
/** Three of the largest answers for one caller. */
const ANSWERS = { maxBytes: 192 * 1024 * 1024, maxBytesPerCaller: 24 * 1024 * 1024 }
const REQUEST_TIMEOUT_MS = 10_000
const KEEP_ALIVE_MS = 20_000
const CLOSE_GRACE_MS = 1_000

export function createWeb(options: WebOptions, deps: WebDependencies): Web {
  const { clock, metrics } = deps
  const log = deps.log.child('http')
  const http = createHttpClient({ maxSockets: 256 })
  const stopping = new AbortController()
  // Each request that waits for a service listens to it.
  setMaxListeners(0, stopping.signal)
  const access = createRpcAccess({ trusted: options.trusted, proxies: options.proxies }, { clock, anonymous: () => options.rate })
  const network = createNetworkWatch(options.watched, { ...deps, http: createHttpClient() })
  const app = fastify({
    logger: false,
    exposeHeadRoutes: true,
    ...fastifyServer({
      allowed: (target) => (target.startsWith('/rpc/') ? 'POST' : 'GET, HEAD'),
      virtualHosts: null,
      renderFault,
      node: {
        requestTimeout: REQUEST_TIMEOUT_MS,
        keepAliveTimeout: KEEP_ALIVE_MS,
        maxHeaderSize: MAX_HEADER_BYTES,
        connectionsCheckingInterval: 1_000,
      },
      // A socket is silent while its request waits for an answer.
      connectionTimeoutMs: UPLOAD_TIMEOUT_MS + REQUEST_TIMEOUT_MS,
    }),
    frameworkErrors: (_error, _request, reply) => refuse(reply, 400, 'bad-request', 'the path cannot be decoded', 'a valid path'),
  })
  shareConnections(app.server, CONNECTIONS, access.connectionGroup, { clock, log })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(BODY_TYPES, { parseAs: 'string' }, (_request, body, done) => done(null, body))
  countRequests(app, metrics)
  refuseOtherHosts(app, options.virtualHosts)
  addErrorAnswers(app, log)
  const answers = new AnswerMemory(createByteBudget(ANSWERS.maxBytes, ANSWERS.maxBytesPerCaller))
  const callers = createCallers(access, options.rate.perSec)
  app.addHook('onSend', async (request, reply, payload) => {
    answers.holdPayload(reply.raw, callers.limitedName(request), payload)
    return payload
  })
  const shared = { http, answers, callers, clock, stopping: stopping.signal }
  addRpcRoutes(app, options.nodes, shared)
  addServiceRoutes(app, options.services, shared)
  if (options.services.index !== null) addVerificationRoutes(app, options.services.index, shared)
  addPageRoutes(app, { ...deps, network })
  let bound: AddressInfo | undefined
  return {
    name: 'web HTTP',
    app,
    network,
    get url() {
      if (bound === undefined) throw new Error('the web server is not listening: start it first')
      return serverUrl('http', bound)
    },
    async start() {
      await app.ready()
      bound = await listen(app.server, { host: options.host, port: options.port, purpose: 'pages', option: '--http.port' })
    },
    async stop() {
      stopping.abort(new Error('the server is stopping'))
      const closed = new Promise<void>((resolve) => app.server.close(() => resolve()))
      app.server.closeIdleConnections()
      // A browser keeps connections in reserve, which are not idle because they had no request yet.
      const grace = new AbortController()
      await Promise.race([closed, clock.sleep(CLOSE_GRACE_MS, grace.signal).catch(() => undefined)])
      grace.abort()
      app.server.closeAllConnections()
      await closed
      await app.close()
      http.close()
    },
  }
}

const renderFault: RenderFault = ({ kind, message }) => ({
  type: 'application/json; charset=utf-8',
  body: JSON.stringify({
    error: kind === 'method' ? 'method-not-allowed' : 'bad-request',
    message,
    expected: 'a valid request of HTTP/1.1',
  }),
})

function countRequests(app: FastifyInstance, metrics: Metrics): void {
  const requests = metrics.counter('http_requests', 'Requests by route and status', ['route', 'status'])
  app.addHook('onResponse', async (request, reply) => {
    requests.inc(1, { route: request.routeOptions.url ?? 'none', status: reply.statusCode })
  })
}

/** A page of another site must not reach the services behind this server under a name of its own (DNS rebinding). */
function refuseOtherHosts(app: FastifyInstance, virtualHosts: readonly string[]): void {
  app.addHook('onRequest', async (request, reply) => {
    if (isAllowedHost(request.headers.host, virtualHosts)) return
    const message = 'this server is not known under the host name of the request'
    return refuse(reply, 403, 'host', message, `an IP address or a name that --http.vhosts lists: ${virtualHosts.join(', ')}`)
  })
}

function addErrorAnswers(app: FastifyInstance, log: Logger): void {
  app.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    const status = error.statusCode ?? 500
    if (error instanceof AnswersFullError) {
      reply.header('retry-after', '1')
      return refuse(reply, 503, 'busy', error.message, 'the same request later')
    }
    if (status === 413) return refuse(reply, 413, 'too-large', 'the request is too large', 'a smaller request')
    if (status === 415) return refuse(reply, 415, 'content-type', 'the content type is not supported', BODY_TYPES.join(' or '))
    if (status < 500) return refuse(reply, status, 'bad-request', 'the request cannot be read', 'a valid request')
    log.error('request failed', { route: request.routeOptions.url ?? 'none', error })
    return refuse(reply, 500, 'internal', 'internal error; see the log of the server', 'the same request later')
  })
}
