import { type Clock, type Hash, isHex, type Logger, toHash } from '@keelson/primitives'
import {
  createRpcAccess,
  type IpNetwork,
  listen,
  type Metrics,
  type Service,
  type TokenBucketOptions,
  TRUSTED_TIER,
} from '@keelson/runtime'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { shareConnections } from '../connection-shares.ts'
import { type EarlyMistake, earlyErrors } from '../http-errors.ts'
import type { BridgeStatus, StatusAnswer } from './bridge-status.ts'
import { errorSchema, hashParams, healthSchema, statusSchema, withdrawalsSchema } from './http-schema.ts'
import type { WithdrawalStatus, WithdrawalsAnswer } from './withdrawal-status.ts'

export interface BridgeHttpOptions {
  readonly host: string
  readonly port: number
  /** Web origins that may call; `*` allows all. */
  readonly corsOrigins: readonly string[]
  /** Rate per IPv4 address or IPv6 /64. */
  readonly rate: TokenBucketOptions
  readonly trusted: readonly IpNetwork[]
  /** Proxies whose X-Forwarded-For counts. */
  readonly proxies: readonly IpNetwork[]
}

export interface BridgeHttpDependencies {
  readonly bridge: Pick<BridgeStatus, 'status' | 'trouble' | 'lagBlocks'>
  /** Null where withdrawal proofs are not supported. */
  readonly withdrawals: WithdrawalStatus | null
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
}

export interface BridgeHttp extends Service {
  readonly app: FastifyInstance
}

export interface ErrorBody {
  readonly error: string
  readonly message: string
  readonly expected: string
}

const MAX_BODY_BYTES = 1_024
const MAX_HEADER_BYTES = 8_192
const CONNECTIONS = { max: 1_000, perCaller: 32, perNetwork: 128 }
const REQUEST_TIMEOUT_MS = 10_000
const KEEP_ALIVE_MS = 20_000
/** Upstream queries continue for the next request. */
const ANSWER_TIMEOUT_MS = 8_000
const RETRY_AFTER_SEC = 5
const PREFLIGHT_MAX_AGE_SEC = 600

const HASH = 'the hash of a transaction, of L1 for a deposit, of L2 for a withdrawal: 0x and 64 hex digits'
const PATHS = 'GET /api/status/{l1_tx_hash}, GET /api/withdrawals/{l2_tx_hash} or GET /health'

const EARLY: Readonly<Record<EarlyMistake, string>> = {
  path: 'the path cannot be decoded',
  'too-long': `the path and the headers are longer than ${MAX_HEADER_BYTES} bytes`,
  'not-http': 'the request is not valid HTTP',
}

export function createBridgeHttp(
  options: BridgeHttpOptions,
  { bridge, withdrawals, clock, log, metrics }: BridgeHttpDependencies,
): BridgeHttp {
  const access = createRpcAccess({ trusted: options.trusted, proxies: options.proxies }, { clock, anonymous: () => options.rate })
  const requests = metrics.counter('http_requests', 'Requests by route and status', ['route', 'status'])
  const app = fastify({
    logger: false,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: 2 * REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: { maxHeaderSize: MAX_HEADER_BYTES, connectionsCheckingInterval: 1_000 },
    ...earlyErrors((mistake) => ({ error: 'bad-request', message: EARLY[mistake], expected: PATHS })),
    routerOptions: { maxParamLength: MAX_HEADER_BYTES, ignoreTrailingSlash: true },
  })
  shareConnections(app.server, CONNECTIONS, access.connectionGroup, { clock, log })

  const refuse = (reply: FastifyReply, status: number, body: ErrorBody) => reply.code(status).send(body)

  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    allowOrigin(request, reply, options.corsOrigins)
    if (request.method === 'OPTIONS') return reply.code(204).send()
    if (request.routeOptions.url === '/health') return
    const entry = access.identify({
      peer: request.socket.remoteAddress,
      forwardedFor: forwardedFor(request),
      authorization: undefined,
      path: '/',
    })
    if (!entry.ok || entry.caller.tier === TRUSTED_TIER) return
    const waitMs = entry.caller.take(1)
    if (waitMs <= 0) return
    const seconds = Math.max(1, Math.ceil(Math.min(waitMs, 3_600_000) / 1000))
    reply.header('retry-after', String(seconds))
    return refuse(reply, 429, {
      error: 'rate-limited',
      message: `too many requests from this address or its network; retry in ${seconds} s`,
      expected: `at most ${options.rate.perSec} requests a second`,
    })
  })
  app.addHook('onResponse', async (request, reply) => {
    requests.inc(1, { route: request.routeOptions.url ?? 'none', status: reply.statusCode })
  })

  app.get('/health', { schema: { response: { 200: healthSchema, 503: healthSchema } } }, async (_, reply) => {
    const trouble = bridge.trouble()
    return reply
      .code(trouble === null ? 200 : 503)
      .send({ ok: trouble === null, reason: trouble?.reason ?? null, indexLagBlocks: bridge.lagBlocks })
  })
  const answer = async <T extends { readonly kind: string }>(
    request: FastifyRequest<{ Params: { hash: string } }>,
    reply: FastifyReply,
    ask: (hash: Hash) => Promise<T | { readonly kind: 'unknown' } | { readonly kind: 'unavailable'; readonly reason: string }>,
    unknown: string,
  ) => {
    const hash = toHash(request.params.hash.toLowerCase())
    const found = await within(ask(hash), clock)
    if (found?.kind === 'unknown') {
      refuse(reply, 404, {
        error: 'unknown-transaction',
        message: `${unknown.replaceAll('{hash}', hash)}; a transaction that was just sent may take some seconds`,
        expected: HASH,
      })
      return null
    }
    if (found === null || found.kind === 'unavailable') {
      reply.header('retry-after', String(RETRY_AFTER_SEC))
      const why = found === null ? 'L1 or L2 did not respond in time' : (found as { readonly reason: string }).reason
      refuse(reply, 503, {
        error: 'unavailable',
        message: `nothing is known of this transaction yet: ${why}`,
        expected: 'the same request later',
      })
      return null
    }
    return found as T
  }
  const failures = { '4xx': errorSchema, '5xx': errorSchema }
  app.get<{ Params: { hash: string } }>(
    '/api/status/:hash',
    { schema: { params: hashParams, response: { 200: statusSchema, ...failures } } },
    async (request, reply) => {
      type Found = Extract<StatusAnswer, { kind: 'found' }>
      const found = await answer<Found>(
        request,
        reply,
        bridge.status,
        'L1 has no transaction {hash} in a block or its pool (for an L2 transaction that started a withdrawal use /api/withdrawals/{hash})',
      )
      return found === null ? reply : found.status
    },
  )
  if (withdrawals !== null) {
    app.get<{ Params: { hash: string } }>(
      '/api/withdrawals/:hash',
      { schema: { params: hashParams, response: { 200: withdrawalsSchema, ...failures } } },
      async (request, reply) => {
        type Found = Extract<WithdrawalsAnswer, { kind: 'found' }>
        const found = await answer<Found>(
          request,
          reply,
          withdrawals.status,
          'L2 has no transaction {hash}, or it contains no withdrawal (for an L1 transaction with a deposit use /api/status/{hash})',
        )
        return found === null ? reply : found.withdrawals
      },
    )
  }

  app.setNotFoundHandler((request, reply) => {
    const known = /^\/api\/(status|withdrawals)/.test(request.url) || request.url === '/health'
    if (known && request.method !== 'GET' && request.method !== 'HEAD') {
      reply.header('allow', 'GET, HEAD, OPTIONS')
      return refuse(reply, 405, { error: 'method-not-allowed', message: `${request.method} is not served here`, expected: PATHS })
    }
    if (/^\/api\/(status|withdrawals)(\/|$)/.test(request.url)) return refuse(reply, 400, malformed(''))
    return refuse(reply, 404, { error: 'not-found', message: 'this path does not exist', expected: PATHS })
  })
  app.setErrorHandler((error: Error & { statusCode?: number; validation?: unknown }, request, reply) => {
    if (error.validation !== undefined) return refuse(reply, 400, malformed((request.params as { hash?: string }).hash ?? ''))
    const status = error.statusCode ?? 500
    if (status < 500) return refuse(reply, status, { error: 'bad-request', message: 'the request cannot be parsed', expected: PATHS })
    log.error('request failed', { route: request.routeOptions.url ?? 'none', error })
    return refuse(reply, 500, {
      error: 'internal',
      message: 'internal error; see the log of the service',
      expected: 'the same request later',
    })
  })

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

function malformed(given: string): ErrorBody {
  const got = given.length > 80 ? `${given.length} characters` : given === '' ? 'nothing' : `"${given.replace(/[^\x20-\x7e]/g, '?')}"`
  const hint = /^[0-9a-fA-F]{64}$/.test(given) ? ' (0x is missing)' : isHex(given) ? ` (${given.length - 2} digits)` : ''
  return { error: 'malformed-hash', message: `got ${got}${hint}`, expected: HASH }
}

function forwardedFor(request: FastifyRequest): string | undefined {
  const header = request.headers['x-forwarded-for']
  return Array.isArray(header) ? header.join(',') : header
}

function allowOrigin(request: FastifyRequest, reply: FastifyReply, origins: readonly string[]): void {
  const { origin } = request.headers
  if (origins.length === 0) return
  if (!origins.includes('*')) reply.header('vary', 'origin')
  if (origin === undefined) return
  const allowed = origins.includes('*') ? '*' : origins.find((entry) => entry.toLowerCase() === origin.toLowerCase())
  if (allowed === undefined) return
  reply.headers({ 'access-control-allow-origin': allowed === '*' ? '*' : origin, 'access-control-expose-headers': 'retry-after' })
  if (request.method === 'OPTIONS') {
    reply.headers({ 'access-control-allow-methods': 'GET, HEAD, OPTIONS', 'access-control-max-age': String(PREFLIGHT_MAX_AGE_SEC) })
  }
}

/** Returns null on timeout. */
async function within<T>(answer: Promise<T>, clock: Clock): Promise<T | null> {
  const timer = new AbortController()
  const late = clock.sleep(ANSWER_TIMEOUT_MS, timer.signal).then(
    () => null,
    () => null,
  )
  try {
    return await Promise.race([answer, late])
  } finally {
    timer.abort()
  }
}
