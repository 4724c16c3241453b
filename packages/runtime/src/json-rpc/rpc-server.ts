/** JSON-RPC on one port, over HTTP, WebSocket or both, open or behind a JWT. */
import { setMaxListeners } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock, Logger } from '@keelson/primitives'
import type { Readiness } from '../health/readiness.ts'
import { createByteBudget } from '../http/byte-budget.ts'
import { groupBySubscriber, limitConnections } from '../http/connection-limit.ts'
import { createCompressor } from '../http/gzip.ts'
import { listen, serverUrl } from '../http/listen.ts'
import { retryAfter } from '../http/retry-after.ts'
import { createLogThrottle } from '../log-throttle.ts'
import type { Metrics } from '../metrics.ts'
import type { Service } from '../service.ts'
import type { RpcAccess } from './access/rpc-access.ts'
import { createDispatcher, DEFAULT_RPC_LIMITS, type RpcLimits } from './dispatch.ts'
import type { RpcErrorMapper } from './error-map.ts'
import { createHttpHandler, sendJson } from './http-handler.ts'
import { verifyJwt } from './jwt.ts'
import type { JwtSecret } from './jwt-secret.ts'
import { isAllowedHost, isAllowedOrigin } from './origin.ts'
import { createPublicHealth } from './public-health.ts'
import { originOf, pathOf } from './request-origin.ts'
import type { RpcMethods } from './rpc-method.ts'
import { createSocketHandler, DEFAULT_SOCKET_LIMITS, type SocketLimits } from './socket-handler.ts'

export interface RpcServerOptions {
  /** For the log and for messages: "engine API". */
  readonly name: string
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** Option that moves the port, for the error when it is taken. */
  readonly option?: string
  /** Default true. */
  readonly http?: boolean
  /** Default false. */
  readonly ws?: boolean
  /** Origins of web pages that may call; '*' for all. Default: none (programs that are not browsers send no origin). */
  readonly origins?: readonly string[]
  /** Host names this server answers to; '*' for all, addresses always. Default: localhost. Stops DNS rebinding. */
  readonly virtualHosts?: readonly string[]
  /** Every request, and every WebSocket handshake, then needs a token signed with it. */
  readonly jwtSecret?: JwtSecret
  /** Which secret that is, for callers without a right token: "a.hex in the folder of --jwt-secrets". */
  readonly secretName?: string
  readonly limits?: Partial<RpcLimits>
  readonly socketLimits?: Partial<SocketLimits>
  readonly connections?: Partial<ConnectionLimits>
  /** Answers are compressed for callers that ask for it. Default false. */
  readonly gzip?: boolean
}

export interface ConnectionLimits {
  readonly max: number
  /** Limit per IPv4 address or IPv6 /64. Trusted networks and proxies are exempt; without `access`, so is loopback. */
  readonly maxPerAddress: number
  /** An idle connection is kept for the next request for this long. */
  readonly keepAliveMs: number
  /** From its first byte, all headers of a request must have come, and then all of it. */
  readonly headersTimeoutMs: number
  readonly requestTimeoutMs: number
  /** In which a client must have taken an answer. */
  readonly writeTimeoutMs: number
  /** Of requests on their way in and answers on their way out, for all connections together. */
  readonly maxMemoryBytes: number
}

export const DEFAULT_CONNECTION_LIMITS: ConnectionLimits = {
  max: 8192,
  maxPerAddress: 512,
  keepAliveMs: 120_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  writeTimeoutMs: 60_000,
  maxMemoryBytes: 512 * 1024 * 1024,
}

export interface RpcServerDependencies {
  readonly methods: RpcMethods
  readonly log: Logger
  readonly clock: Clock
  readonly mapError?: RpcErrorMapper
  readonly metrics?: Metrics
  /** Who may call how much; default: everybody without limit. */
  readonly access?: RpcAccess
  /** Groups methods for the metrics; default: by namespace. */
  readonly methodClass?: (method: string) => string
  /** Price of a call by method, in tokens charged before it runs; default: 1. */
  readonly methodPrice?: (method: string) => number
  /** Served to load balancers at /health, /livez and /readyz of this port. */
  readonly readiness?: Readiness
}

export interface RpcServer extends Service {
  /** Where it listens; throws before it was started. */
  readonly address: AddressInfo
  readonly httpUrl: string
  readonly wsUrl: string
}

/** How often connections are looked at for requests that take too long to come. */
const SLOW_REQUEST_CHECK_MS = 1000
/** How long calls under way may still take when the server stops. */
const DRAIN_MS = 1000

export function createRpcServer(options: RpcServerOptions, dependencies: RpcServerDependencies): RpcServer {
  const { clock } = dependencies
  const log = dependencies.log.child(options.name)
  const limits: RpcLimits = { ...DEFAULT_RPC_LIMITS, ...options.limits }
  const dispatcher = createDispatcher({ ...dependencies, limits, log })
  const access = dependencies.access ?? null
  const connections: ConnectionLimits = { ...DEFAULT_CONNECTION_LIMITS, ...options.connections }
  const memory = createByteBudget(connections.maxMemoryBytes)
  const throttle = createLogThrottle(clock)
  const health = dependencies.readiness === undefined ? null : createPublicHealth(dependencies.readiness, clock)
  const origins = options.origins ?? []
  const virtualHosts = options.virtualHosts ?? ['localhost']
  const stopping = new AbortController()
  // every request under way listens to it, and there may be as many as connections
  setMaxListeners(0, stopping.signal)

  /** Null when the caller may come in; else the status and the reason in one line. */
  const refusal = async (request: IncomingMessage): Promise<{ readonly status: number; readonly message: string } | null> => {
    if (!isAllowedHost(request.headers.host, virtualHosts)) {
      return { status: 403, message: `this server does not answer to the host name ${String(request.headers.host)}` }
    }
    if (options.jwtSecret === undefined) return null
    const verdict = await verifyJwt(request.headers.authorization, options.jwtSecret, clock)
    if (verdict.ok) return null
    log.warn('a token was refused', { reason: verdict.reason, message: verdict.message, from: request.socket.remoteAddress })
    const isAboutSecret = verdict.reason === 'missing' || verdict.reason === 'wrong-secret'
    const which =
      options.secretName === undefined || !isAboutSecret ? '' : `; ${options.name} takes tokens signed with ${options.secretName}`
    return { status: 401, message: `${verdict.message}${which}` }
  }

  const handleHttp = createHttpHandler({
    dispatcher,
    limits,
    origins,
    refusal,
    access,
    compressor: options.gzip === true ? createCompressor() : null,
    memory,
    writeTimeoutMs: connections.writeTimeoutMs,
    log,
    stopping: stopping.signal,
  })
  const sockets = createSocketHandler({
    dispatcher,
    limits: { ...DEFAULT_SOCKET_LIMITS, ...options.socketLimits },
    maxBodyBytes: limits.maxBodyBytes,
    maxStrangerBodyBytes: limits.maxStrangerBodyBytes,
    maxResponseBytes: limits.maxResponseBytes,
    access,
    memory,
    log,
    clock,
    ...(dependencies.metrics === undefined ? {} : { metrics: dependencies.metrics }),
  })

  const answerRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const healthy = health?.answer(pathOf(request)) ?? null
    if (healthy !== null) return sendJson(response, await healthy)
    if (options.http !== false) return handleHttp(request, response)
    response.writeHead(426, { 'content-type': 'text/plain', upgrade: 'websocket' }).end('this port speaks WebSocket only\n')
  }
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    answerRequest(request, response).catch((error: unknown) => {
      log.error('a request failed for an inner reason', { error })
      response.destroy()
    })
  }

  const onUpgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // an upgrade refused half-way must not bring the process down when the peer hangs up first
    socket.on('error', () => socket.destroy())
    if (options.ws !== true) return refuseUpgrade(socket, 404, 'this port does not speak WebSocket')
    const refused = await refusal(request)
    if (refused !== null) return refuseUpgrade(socket, refused.status, refused.message)
    const { origin } = request.headers
    if (origin !== undefined && !isAllowedOrigin(origin, origins)) return refuseUpgrade(socket, 403, `origin ${origin} is not allowed`)
    const entry = access?.identify(originOf(request))
    if (entry?.ok === false) return refuseUpgrade(socket, entry.status, entry.message, entry.waitMs)
    sockets.accept(request, socket, head)
  }

  const server = createServer(
    {
      noDelay: true,
      keepAliveTimeout: connections.keepAliveMs,
      headersTimeout: connections.headersTimeoutMs,
      requestTimeout: connections.requestTimeoutMs,
      connectionsCheckingInterval: SLOW_REQUEST_CHECK_MS,
    },
    onRequest,
  )
  server.maxConnections = connections.max
  server.on('drop', () =>
    throttle((suppressed) => log.warn('connections are refused: there are as many as allowed', { max: connections.max, suppressed })),
  )
  limitConnections(server, access ?? groupBySubscriber(), { maxPerAddress: connections.maxPerAddress, throttle, log })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    onUpgrade(request, socket, head).catch((error: unknown) => {
      log.error('a handshake failed for an inner reason', { error })
      socket.destroy()
    })
  })

  let bound: AddressInfo | undefined
  const address = () => {
    if (bound === undefined) throw new Error(`${options.name} is not listening: start it first`)
    return bound
  }
  return {
    name: options.name,
    get address() {
      return address()
    },
    get httpUrl() {
      return serverUrl('http', address())
    },
    get wsUrl() {
      return serverUrl('ws', address())
    },
    async start() {
      const option = options.option === undefined ? {} : { option: options.option }
      bound = await listen(server, { host: options.host, port: options.port, purpose: options.name, ...option })
      log.info('listening', { url: serverUrl(options.http === false ? 'ws' : 'http', bound) })
    },
    async stop() {
      sockets.close()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      const force = setTimeout(() => {
        stopping.abort(new DOMException('the server is stopping', 'AbortError'))
        sockets.terminate()
        server.closeAllConnections()
      }, DRAIN_MS)
      await closed
      clearTimeout(force)
    },
  }
}

const STATUS_TEXT: Readonly<Record<number, string>> = { 401: 'Unauthorized', 403: 'Forbidden', 404: 'Not Found', 429: 'Too Many Requests' }

function refuseUpgrade(socket: Duplex, status: number, message: string, waitMs?: number): void {
  const later = waitMs === undefined ? '' : `retry-after: ${retryAfter(waitMs)}\r\n`
  const body = `${message}\n`
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_TEXT[status] ?? ''}\r\nconnection: close\r\n${later}content-type: text/plain\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
