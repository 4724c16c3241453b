import { setMaxListeners } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock, Logger } from '@keelson/primitives'
import type { Readiness } from '../health/readiness.ts'
import { createByteBudget } from '../http/byte-budget.ts'
import { groupBySubscriber, limitConnections } from '../http/connection-limit.ts'
import { createCompressor } from '../http/gzip.ts'
import { listen, serverUrl } from '../http/listen.ts'
import { asksForPage, type PortPage, sendPortPage } from '../http/port-page.ts'
import { READ_DEADLINE_MS } from '../http/read-deadline.ts'
import { pathOf } from '../http/request-origin.ts'
import { createHttpServer } from '../http/server/http-server.ts'
import { createLogThrottle } from '../log-throttle.ts'
import type { Metrics } from '../metrics.ts'
import type { Service } from '../service.ts'
import type { RpcAccess } from './access/rpc-access.ts'
import { DEFAULT_RPC_LIMITS, type RpcLimits } from './answerer.ts'
import { createDispatcher, type RemoteMethods } from './dispatch.ts'
import type { RpcErrorMapper } from './error-map.ts'
import { createHttpHandler, sendJson } from './http-handler.ts'
import type { JwtSecret } from './jwt-secret.ts'
import { createMinBlock } from './min-block.ts'
import { createPublicHealth } from './public-health.ts'
import { createRequestRefusal } from './request-refusal.ts'
import type { RpcMethods } from './rpc-method.ts'
import { createSocketHandler } from './socket-handler.ts'
import { DEFAULT_SOCKET_LIMITS, type SocketLimits } from './socket-limits.ts'
import { createUpgradeHandler } from './upgrade-handler.ts'

export interface RpcServerOptions {
  /** Name in logs and errors, such as "engine API". */
  readonly name: string
  readonly host: string
  readonly port: number
  readonly option?: string
  readonly http?: boolean
  readonly ws?: boolean
  /** Web origins that may call; '*' allows all. Default: none. */
  readonly origins?: readonly string[]
  /** Accepted host names besides IP addresses, against DNS rebinding; '*' for all. Default: localhost. */
  readonly virtualHosts?: readonly string[]
  readonly jwtSecret?: JwtSecret
  /** Used in errors, for example "a.hex in the folder of --jwt-secrets". */
  readonly secretName?: string
  readonly limits?: Partial<RpcLimits>
  readonly socketLimits?: Partial<SocketLimits>
  readonly connections?: Partial<ConnectionLimits>
  readonly gzip?: boolean
}

export interface ConnectionLimits {
  readonly max: number
  /** Trusted networks and proxies are exempt; without `access`, loopback addresses are. */
  readonly maxPerAddress: number
  readonly keepAliveMs: number
  /** Both timeouts start with the first byte. */
  readonly headersTimeoutMs: number
  readonly requestTimeoutMs: number
  /** Time limit for a client to read a response. */
  readonly writeTimeoutMs: number
  /** Limit for all requests and responses in progress. */
  readonly maxMemoryBytes: number
  /** What one caller without a key may hold of it. */
  readonly maxMemoryBytesPerCaller: number
}

export const DEFAULT_CONNECTION_LIMITS: ConnectionLimits = {
  max: 8192,
  maxPerAddress: 512,
  keepAliveMs: 120_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  writeTimeoutMs: READ_DEADLINE_MS,
  maxMemoryBytes: 512 * 1024 * 1024,
  maxMemoryBytesPerCaller: 128 * 1024 * 1024,
}

export interface RpcServerDependencies {
  readonly methods: RpcMethods
  readonly remote?: RemoteMethods
  readonly log: Logger
  readonly clock: Clock
  readonly mapError?: RpcErrorMapper
  readonly metrics?: Metrics
  readonly access?: RpcAccess
  readonly methodClass?: (method: string) => string
  readonly methodPrice?: (method: string) => number
  /** Enables /health, /livez and /readyz on this port. */
  readonly readiness?: Readiness
  /** Number of the newest block that a read sees from now on; enables X-Keelson-Min-Block. */
  readonly head?: () => Promise<number>
}

export interface RpcServer extends Service {
  readonly address: AddressInfo
  readonly httpUrl: string
  readonly wsUrl: string
}

const SLOW_REQUEST_CHECK_MS = 1000
const DRAIN_MS = 1000

export function createRpcServer(options: RpcServerOptions, dependencies: RpcServerDependencies): RpcServer {
  const { clock } = dependencies
  const log = dependencies.log.child(options.name)
  const limits: RpcLimits = { ...DEFAULT_RPC_LIMITS, ...options.limits }
  const dispatcher = createDispatcher({ ...dependencies, limits, log })
  const access = dependencies.access ?? null
  const connections: ConnectionLimits = { ...DEFAULT_CONNECTION_LIMITS, ...options.connections }
  const memory = createByteBudget(connections.maxMemoryBytes, connections.maxMemoryBytesPerCaller)
  const health = dependencies.readiness === undefined ? null : createPublicHealth(dependencies.readiness, clock)
  const origins = options.origins ?? []
  const stopping = new AbortController()
  // Every running request adds a listener.
  setMaxListeners(0, stopping.signal)

  const refusal = createRequestRefusal(options, { clock, log })
  const minBlock =
    dependencies.head === undefined ? null : createMinBlock({ maxWaitMs: limits.minBlockWaitMs }, { head: dependencies.head, clock })
  const page = describePort(options, dependencies.readiness !== undefined)
  const handleHttp = createHttpHandler({
    dispatcher,
    limits,
    origins,
    refusal,
    access,
    minBlock,
    compressor: options.gzip === true ? createCompressor() : null,
    memory,
    log,
    stopping: stopping.signal,
    page,
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
    if (asksForPage(request) && (await refusal(request)) === null) return sendPortPage(response, page)
    response
      .writeHead(426, { 'content-type': 'text/plain', upgrade: 'websocket', connection: 'upgrade, close' })
      .end('this port speaks WebSocket only\n')
  }
  const onUpgrade = createUpgradeHandler({ enabled: options.ws === true, origins, access, minBlock, refusal, sockets })

  const allowed = () => (options.http === false ? 'GET, HEAD' : 'POST, GET, HEAD, OPTIONS')
  const server = createLimitedServer(connections, { answerRequest, onUpgrade, allowed, access, log, clock })

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

interface LimitedServerDependencies {
  answerRequest(request: IncomingMessage, response: ServerResponse): Promise<void>
  onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>
  readonly allowed: () => string
  readonly access: RpcAccess | null
  readonly log: Logger
  readonly clock: Clock
}

function createLimitedServer(
  { max, maxPerAddress, keepAliveMs, headersTimeoutMs, requestTimeoutMs, writeTimeoutMs }: ConnectionLimits,
  { answerRequest, onUpgrade, allowed, access, log, clock }: LimitedServerDependencies,
): Server {
  const throttle = createLogThrottle(clock)
  const timing = { keepAliveTimeout: keepAliveMs, headersTimeout: headersTimeoutMs, requestTimeout: requestTimeoutMs }
  const node = { ...timing, noDelay: true, connectionsCheckingInterval: SLOW_REQUEST_CHECK_MS }
  const server = createHttpServer({ allowed, virtualHosts: null, readDeadlineMs: writeTimeoutMs, node }, (request, response) => {
    answerRequest(request, response).catch((error: unknown) => {
      log.error('HTTP request failed with an internal error', { error })
      response.destroy()
    })
  })
  server.maxConnections = max
  server.on('drop', () => throttle((suppressed) => log.warn('refusing connections: limit reached', { max, suppressed })))
  limitConnections(server, access ?? groupBySubscriber(), { maxPerAddress, throttle, log })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    onUpgrade(request, socket, head).catch((error: unknown) => {
      log.error('WebSocket handshake failed with an internal error', { error })
      socket.destroy()
    })
  })
  return server
}

function describePort({ name, http, ws }: RpcServerOptions, hasHealth: boolean): PortPage {
  const [post, socket] = [http !== false, ws === true]
  const how = post && socket ? 'by POST or over WebSocket' : post ? 'by POST' : 'over WebSocket'
  return {
    title: `Keelson: ${name}`,
    lines: [`This port is for programs and wallets. It answers JSON-RPC requests that are sent ${how}.`],
    paths: hasHealth ? ['/health'] : [],
  }
}
