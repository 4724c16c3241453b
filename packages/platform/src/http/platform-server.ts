import type { IncomingMessage, RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fastifySwagger } from '@fastify/swagger'
import type { Clock, Logger } from '@keelson/primitives'
import {
  type AllowedMethods,
  AnswerMemory,
  asksForPage,
  createByteBudget,
  createHttpServer,
  createLogThrottle,
  groupBySubscriber,
  type IpNetwork,
  limitConnections,
  listen,
  type Metrics,
  renderPortPage,
  type Service,
  serverUrl,
} from '@keelson/runtime'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { jsonSchemaTransformObject, serializerCompiler } from 'fastify-type-provider-zod'
import type { StorageQuota } from '../storage/storage-quota.ts'
import { addRoute, DEFAULT_TIME_LIMITS_MS, type TimeLimits } from './add-route.ts'
import { createAllowedMethods } from './allowed-methods.ts'
import { ApiError } from './api-error.ts'
import { type BodyRoom, createBodyReader } from './body-room.ts'
import { subscriberAddress } from './caller-address.ts'
import { addCors } from './cors.ts'
import { addDocsPage, DOCS_PATH } from './docs-page.ts'
import { createErrorHandler } from './error-answers.ts'
import { type Authenticator, createGuards } from './guards.ts'
import { openApiDocument, transformRoute } from './openapi.ts'
import { orderDocument } from './openapi-document.ts'
import type { RateLimitStore } from './rate-limit-store.ts'
import { addRequestMetrics } from './request-metrics.ts'
import type { AnyRoute } from './route.ts'
import { MAX_HEAD_BYTES, renderFault } from './unreadable-request.ts'

export interface PlatformServerOptions {
  readonly host: string
  readonly port: number
  readonly option?: string
  readonly version: string
  readonly virtualHosts: readonly string[]
  readonly trustedProxies: readonly IpNetwork[]
  readonly corsOrigins: readonly string[]
  readonly limitScale: number
  readonly timeLimitsMs?: TimeLimits
  readonly maxAnswerBytes?: number
  readonly bodyRoom?: BodyRoom
}

export interface PlatformServerDependencies {
  readonly routes: readonly AnyRoute[]
  readonly authenticator: Authenticator
  readonly limits: RateLimitStore
  /** Without one, requests store what they like. */
  readonly storage?: StorageQuota
  isOutage(error: unknown): boolean
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: Metrics
}

export interface PlatformServer extends Service {
  readonly url: string
  readonly app: FastifyInstance
}

/** Where clients of the tool protocol look by habit. */
const MCP_PATH = /^\/(sse|messages?|mcp\/.*)\/?(\?.*)?$/
const MCP_HINT = 'Not Found: Streamable HTTP at /mcp; the older transport with server-sent events at /mcp/sse'
const MAX_BODY_BYTES = 10 * 1024 * 1024
export const MAX_ANSWER_BYTES = 50 * 1024 * 1024
/** Answers that wait for their readers: all, and those of one address. */
const ANSWER_BYTES = 256 * 1024 * 1024
const ANSWER_BYTES_PER_ADDRESS = 64 * 1024 * 1024
const MAX_CONNECTIONS = 8_192
const MAX_CONNECTIONS_PER_ADDRESS = 512
const MAX_URL_PART = 500
const RECEIVE_TIMEOUT_MS = 30_000
const KEEP_ALIVE_MS = 65_000
const CLOSE_GRACE_MS = 5_000
const ALL_METHODS = 'GET, HEAD, POST, PATCH, DELETE, OPTIONS'
const JSON_TYPE = 'application/json; charset=utf-8'

const PAGE = {
  title: 'Keelson: the agent platform',
  lines: [
    'This port answers agents: tools, prices, quotes, trades and a chat, over HTTP and the Model Context Protocol (/mcp).',
    'The documentation lets you try every call. For people there are pages with a chat, on port 8080 unless the operator moved them.',
  ],
  paths: [DOCS_PATH, '/openapi.json', '/health'],
}

export async function createPlatformServer(options: PlatformServerOptions, deps: PlatformServerDependencies): Promise<PlatformServer> {
  const { clock, limits, routes } = deps
  const log = deps.log.child('http')
  const stopping = new AbortController()
  const allowedMethods = createAllowedMethods([...routes, { method: 'GET', path: '/openapi.json' }, { method: 'GET', path: DOCS_PATH }])
  const allowed = (target: string) => (target === '*' ? ALL_METHODS : (allowedMethods(target)?.join(', ') ?? null))
  const openServer = (handler: RequestListener) => createPlatformHttp(options, { allowed, clock, log }, handler)
  let bound: AddressInfo | undefined

  const app: FastifyInstance = fastify({
    bodyLimit: MAX_BODY_BYTES,
    routerOptions: { maxParamLength: MAX_URL_PART, ignoreTrailingSlash: true },
    forceCloseConnections: false,
    frameworkErrors: (_error, _request, reply) => void sendDetail(reply, 400, 'The address of the request cannot be read'),
    // The server has answered already.
    clientErrorHandler: () => undefined,
    serverFactory: openServer,
  })
  const { server } = app
  const subscriberOf = createSubscribers(options.trustedProxies)

  // each route parses its body, to report all issues together
  app.removeAllContentTypeParsers()
  const bodies = createBodyReader(subscriberOf, options.bodyRoom)
  app.addContentTypeParser('*', (request: FastifyRequest, payload: IncomingMessage) => bodies.read(request, payload))
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(createErrorHandler(log, deps.isOutage))
  app.setNotFoundHandler((request, reply) => {
    if (asksForPage(request.raw)) {
      const { headers, body } = renderPortPage(PAGE)
      return reply
        .code(request.url.split('?')[0] === '/' ? 200 : 404)
        .headers(headers)
        .send(body)
    }
    const allow = allowed(request.url)
    if (allow === null) return sendDetail(reply, 404, MCP_PATH.test(request.url) ? MCP_HINT : 'Not Found')
    return sendDetail(reply.header('allow', allow), 405, 'Method Not Allowed')
  })

  addRequestMetrics(app, deps, log)
  app.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'))
  addCors(app, options.corsOrigins)
  const answers = new AnswerMemory(createByteBudget(ANSWER_BYTES, ANSWER_BYTES_PER_ADDRESS))
  app.addHook('onSend', async (request, reply, payload) => {
    // kept-alive connections would delay the stop
    if (stopping.signal.aborted) reply.header('connection', 'close')
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
    if (isWhole && Buffer.byteLength(payload) > (options.maxAnswerBytes ?? MAX_ANSWER_BYTES))
      throw new ApiError(400, 'The answer would be larger than 50 MB: ask for less')
    answers.holdPayload(reply.raw, subscriberOf(request), payload)
    return payload
  })
  app.addHook('onResponse', async (request) => bodies.release(request))

  await app.register(fastifySwagger, {
    openapi: openApiDocument(options.version),
    transform: transformRoute,
    transformObject: (document) => orderDocument(jsonSchemaTransformObject(document)),
  })
  const context = {
    guards: createGuards(deps.authenticator, { limits, limitScale: options.limitScale, subscriberOf }),
    limits,
    limitScale: options.limitScale,
    clock,
    subscriberOf,
    timeLimitsMs: options.timeLimitsMs ?? DEFAULT_TIME_LIMITS_MS,
    stopping: stopping.signal,
    storage: deps.storage ?? { admit: async () => undefined },
    releaseBody: bodies.release,
  }
  // @fastify/swagger sees only routes of plugins that are registered after it
  await app.register(async (scope) => {
    for (const route of routes) addRoute(scope, route, context)
    let document: string | undefined
    scope.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
      document ??= JSON.stringify(app.swagger())
      return reply.type(JSON_TYPE).send(document)
    })
    await addDocsPage(scope)
  })

  return {
    name: 'platform API',
    app,
    get url() {
      if (bound === undefined) throw new Error('the platform is not listening: start it first')
      return serverUrl('http', bound)
    },
    async start() {
      await app.ready()
      const option = options.option === undefined ? {} : { option: options.option }
      bound = await listen(server, { host: options.host, port: options.port, purpose: 'agent platform', ...option })
    },
    async stop() {
      stopping.abort(new ApiError(503, 'The server is stopping: try again in a moment', { headers: { 'retry-after': '1' } }))
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      const grace = new AbortController()
      await Promise.race([closed, clock.sleep(CLOSE_GRACE_MS, grace.signal).catch(() => undefined)])
      grace.abort()
      server.closeAllConnections()
      await closed
      await app.close()
    },
  }
}

interface PlatformHttpDependencies {
  readonly allowed: AllowedMethods
  readonly clock: Clock
  readonly log: Logger
}

function createPlatformHttp(
  { trustedProxies, virtualHosts }: PlatformServerOptions,
  { allowed, clock, log }: PlatformHttpDependencies,
  handler: RequestListener,
): Server {
  const timing = { requestTimeout: RECEIVE_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_MS, connectionsCheckingInterval: 1_000 }
  const server = createHttpServer({ allowed, virtualHosts, renderFault, node: { ...timing, maxHeaderSize: MAX_HEAD_BYTES } }, handler)
  server.maxConnections = MAX_CONNECTIONS
  const throttle = createLogThrottle(clock)
  limitConnections(server, groupBySubscriber(trustedProxies), { maxPerAddress: MAX_CONNECTIONS_PER_ADDRESS, throttle, log })
  return server
}

function createSubscribers(proxies: readonly IpNetwork[]): (request: FastifyRequest) => string {
  const known = new WeakMap<FastifyRequest, string>()
  return (request) => {
    const found = known.get(request) ?? subscriberAddress(request.socket.remoteAddress, request.headers['x-forwarded-for'], proxies)
    known.set(request, found)
    return found
  }
}

function sendDetail(reply: FastifyReply, status: number, detail: string): FastifyReply {
  return reply.code(status).type(JSON_TYPE).send(JSON.stringify({ detail }))
}
