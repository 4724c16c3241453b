/** The HTTP server: fastify with the routes of all modules, one form of errors, limits of size, rate and time. */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fastifySwagger } from '@fastify/swagger'
import type { Clock, Logger } from '@keelson/primitives'
import {
  createLogThrottle,
  groupBySubscriber,
  type IpNetwork,
  limitConnections,
  listen,
  type Metrics,
  type Service,
  serverUrl,
} from '@keelson/runtime'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject, serializerCompiler } from 'fastify-type-provider-zod'
import { addRoute, DEFAULT_TIME_LIMITS_MS, type TimeLimits } from './add-route.ts'
import { createAllowedMethods } from './allowed-methods.ts'
import { ApiError } from './api-error.ts'
import { type BodyRoom, createBodyTexts } from './body-texts.ts'
import { subscriberAddress } from './caller-address.ts'
import { createCors } from './cors.ts'
import { addDocsPage, DOCS_ROUTES } from './docs/docs-routes.ts'
import { createErrorHandler, MAX_BODY_BYTES, plain } from './error-answers.ts'
import { type Authenticator, createGuards } from './guards.ts'
import { openApiDocument } from './openapi.ts'
import { orderDocument } from './openapi-document.ts'
import type { RateLimitStore } from './rate-limit-store.ts'
import type { AnyRoute } from './route.ts'
import { MAX_HEAD_BYTES, refuseUnreadable } from './unreadable-request.ts'

export interface PlatformServerOptions {
  readonly host: string
  readonly port: number
  /** Option that moves the port, for the error when it is taken. */
  readonly option?: string
  readonly version: string
  /** Proxies whose X-Forwarded-For counts. */
  readonly trustedProxies: readonly IpNetwork[]
  /** Pages of these origins may call; `*` for all. */
  readonly corsOrigins: readonly string[]
  /** All rate limits are multiplied by it. */
  readonly limitScale: number
  readonly timeLimitsMs?: TimeLimits
  readonly maxAnswerBytes?: number
  readonly bodyRoom?: BodyRoom
}

export interface PlatformServerDependencies {
  readonly routes: readonly AnyRoute[]
  readonly authenticator: Authenticator
  readonly limits: RateLimitStore
  /** Whether a failure is of something that will come back, the database for one: answered with 503. */
  isOutage(error: unknown): boolean
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: Metrics
}

export interface PlatformServer extends Service {
  /** Throws before it was started. */
  readonly url: string
  /** For tests that need no socket: `inject`. Ready after `ready()`. */
  readonly app: FastifyInstance
}

export const MAX_ANSWER_BYTES = 50 * 1024 * 1024
const MAX_CONNECTIONS = 8_192
const MAX_CONNECTIONS_PER_ADDRESS = 512
const MAX_URL_PART = 500
const RECEIVE_TIMEOUT_MS = 30_000
const KEEP_ALIVE_MS = 65_000
const CLOSE_GRACE_MS = 5_000

export async function createPlatformServer(options: PlatformServerOptions, deps: PlatformServerDependencies): Promise<PlatformServer> {
  const { clock, limits } = deps
  const log = deps.log.child('http')
  const stopping = new AbortController()
  const maxAnswerBytes = options.maxAnswerBytes ?? MAX_ANSWER_BYTES
  let server: Server | undefined
  let bound: AddressInfo | undefined

  const app: FastifyInstance = fastify({
    bodyLimit: MAX_BODY_BYTES,
    routerOptions: { maxParamLength: MAX_URL_PART },
    forceCloseConnections: false,
    frameworkErrors: (_error, _request, reply) => void sendPlain(reply, 400, 'The address of the request cannot be read'),
    clientErrorHandler: refuseUnreadable,
    serverFactory: (handler) => {
      const timing = { requestTimeout: RECEIVE_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_MS, connectionsCheckingInterval: 1_000 }
      server = createServer({ ...timing, maxHeaderSize: MAX_HEAD_BYTES }, handler)
      server.maxConnections = MAX_CONNECTIONS
      const throttle = createLogThrottle(clock)
      limitConnections(server, groupBySubscriber(options.trustedProxies), { maxPerAddress: MAX_CONNECTIONS_PER_ADDRESS, throttle, log })
      return server
    },
  })

  const subscribers = new WeakMap<FastifyRequest, string>()
  const subscriberOf = (request: FastifyRequest) => {
    const known = subscribers.get(request)
    if (known !== undefined) return known
    const found = subscriberAddress(request.socket.remoteAddress, request.headers['x-forwarded-for'], options.trustedProxies)
    subscribers.set(request, found)
    return found
  }

  // bodies are read as texts; each route parses and judges its own, so that all that is wrong is told at once
  app.removeAllContentTypeParsers()
  const bodies = createBodyTexts(subscriberOf, options.bodyRoom)
  app.addContentTypeParser('*', (request: FastifyRequest, payload: IncomingMessage) => bodies.read(request, payload))
  app.addHook('onResponse', async (request) => bodies.release(request))
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(createErrorHandler(log, deps.isOutage))
  const allowedMethods = createAllowedMethods([...deps.routes, { method: 'GET', path: '/openapi.json' }, ...DOCS_ROUTES])
  app.setNotFoundHandler((request, reply) => {
    const allowed = allowedMethods(request.url)
    if (allowed === null) return sendPlain(reply, 404, 'Not Found')
    return sendPlain(reply.header('allow', allowed.join(', ')), 405, 'Method Not Allowed')
  })

  addMeasures(app, deps, log)
  app.addHook('onRequest', createCors(options.corsOrigins))
  app.addHook('onSend', async (_request, reply, payload) => {
    // a connection that is kept would hold up the stop
    if (stopping.signal.aborted) reply.header('connection', 'close')
    if ((typeof payload === 'string' || Buffer.isBuffer(payload)) && byteLength(payload) > maxAnswerBytes) {
      throw new ApiError(400, 'The answer would be larger than 50 MB: ask for less')
    }
    return payload
  })

  await app.register(fastifySwagger, {
    openapi: openApiDocument(options.version),
    transform: jsonSchemaTransform,
    transformObject: (document) => orderDocument(jsonSchemaTransformObject(document)),
  })
  const context = {
    guards: createGuards(deps.authenticator, { limits, limitScale: options.limitScale, subscriberOf }),
    limits,
    limitScale: options.limitScale,
    timeLimitsMs: options.timeLimitsMs ?? DEFAULT_TIME_LIMITS_MS,
    clock,
    stopping: stopping.signal,
    subscriberOf,
    bodyJudged: bodies.release,
  }
  // a plugin of its own, so that the routes come after @fastify/swagger
  await app.register(async (scope) => {
    for (const route of deps.routes) addRoute(scope, route, context)
    // written once: it is open to all, and long
    let document: string | undefined
    scope.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
      document ??= JSON.stringify(app.swagger())
      return reply.type('application/json; charset=utf-8').send(document)
    })
    addDocsPage(scope)
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
      bound = await listen(server as Server, { host: options.host, port: options.port, purpose: 'agent platform', ...option })
    },
    async stop() {
      stopping.abort(new ApiError(503, 'The server is stopping: try again in a moment', { headers: { 'retry-after': '1' } }))
      const closed = new Promise<void>((resolve) => server?.close(() => resolve()))
      server?.closeIdleConnections()
      const grace = new AbortController()
      await Promise.race([closed, clock.sleep(CLOSE_GRACE_MS, grace.signal).catch(() => undefined)])
      grace.abort()
      server?.closeAllConnections()
      await closed
      await app.close()
    },
  }
}

function sendPlain(reply: FastifyReply, status: number, detail: string): FastifyReply {
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(plain(status, detail).body))
}

function byteLength(payload: string | Buffer): number {
  return typeof payload === 'string' ? Buffer.byteLength(payload) : payload.length
}

/** Metrics by route and status, and a line for each request that tells nothing of what was said in it. */
function addMeasures(app: FastifyInstance, { clock, metrics }: PlatformServerDependencies, log: Logger): void {
  const answered = metrics?.counter('http_requests_total', 'Requests by route and status', ['method', 'route', 'status'])
  const seconds = metrics?.histogram('http_seconds', 'Time to answer, by route', ['route'])
  let underWay = 0
  metrics?.gauge('http_requests_under_way', 'Requests that are being answered', [], () => underWay)
  const begun = new WeakMap<FastifyRequest, number>()
  app.addHook('onRequest', async (request) => {
    begun.set(request, clock.monotonicMs())
    underWay++
  })
  app.addHook('onResponse', async (request, reply) => {
    underWay--
    const route = request.routeOptions.url ?? 'other'
    const tookMs = clock.monotonicMs() - (begun.get(request) ?? clock.monotonicMs())
    answered?.inc(1, { method: request.method, route, status: reply.statusCode })
    seconds?.observe(tookMs / 1000, { route })
    log.debug('answered', { method: request.method, route, status: reply.statusCode, tookMs: Math.round(tookMs) })
  })
}
