import type { Logger } from '@keelson/primitives'
import {
  AnswerMemory,
  AnswersFullError,
  anonymousOrigin,
  asksForPage,
  corsHeaders,
  createByteBudget,
  limitedClient,
  type Metrics,
  type RpcAccess,
  renderPortPage,
  TRUSTED_TIER,
} from '@keelson/runtime'
import type { FastifyInstance } from 'fastify'
import { malformedHash, PATHS, refuse } from './refusal.ts'

export interface RequestHooksOptions {
  readonly corsOrigins: readonly string[]
  readonly rate: { readonly perSec: number }
}

const CORS = { methods: ['GET', 'HEAD', 'OPTIONS'], headers: [], exposed: ['retry-after'] }
/** Answers that wait for their readers: all, and those of one caller. */
const ANSWER_BYTES = 64 * 1024 * 1024
const ANSWER_BYTES_PER_CALLER = 16 * 1024 * 1024

export function addRequestHooks(app: FastifyInstance, options: RequestHooksOptions, access: RpcAccess, metrics: Metrics): void {
  const requests = metrics.counter('http_requests', 'Requests by route and status', ['route', 'status'])
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    reply.headers(corsHeaders(request, { ...CORS, origins: options.corsOrigins }))
    if (request.method === 'OPTIONS') return reply.code(204).header('allow', 'GET, HEAD, OPTIONS').send()
    if (request.routeOptions.url === '/health') return
    const entry = access.identify(anonymousOrigin(request.raw))
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
  const answers = new AnswerMemory(createByteBudget(ANSWER_BYTES, ANSWER_BYTES_PER_CALLER))
  app.addHook('onSend', async (request, reply, payload) => {
    const entry = access.identify(anonymousOrigin(request.raw))
    answers.holdPayload(reply.raw, limitedClient(entry.ok ? entry.caller : undefined), payload)
    return payload
  })
  app.addHook('onResponse', async (request, reply) => {
    requests.inc(1, { route: request.routeOptions.url ?? 'none', status: reply.statusCode })
  })
}

const PAGE = {
  title: 'Keelson: the status of bridge transfers',
  lines: [
    'This port answers programs that follow deposits and withdrawals. For people there is a page, on port 8080 unless the operator moved it.',
    'GET /api/status/HASH names the state of a deposit or withdrawal and its next step; /api/withdrawals/HASH those of the withdrawals of an L2 transaction.',
  ],
  paths: ['/health'],
}

export function addErrorHandlers(app: FastifyInstance, log: Logger): void {
  app.setNotFoundHandler((request, reply) => {
    if (asksForPage(request.raw)) {
      const { headers, body } = renderPortPage(PAGE)
      return reply.headers(headers).send(body)
    }
    const known = /^\/api\/(status|withdrawals)/.test(request.url) || request.url === '/health'
    if (known && request.method !== 'GET' && request.method !== 'HEAD') {
      reply.header('allow', 'GET, HEAD, OPTIONS')
      return refuse(reply, 405, { error: 'method-not-allowed', message: `${request.method} is not served here`, expected: PATHS })
    }
    if (/^\/api\/(status|withdrawals)(\/|$)/.test(request.url)) return refuse(reply, 400, malformedHash(''))
    return refuse(reply, 404, { error: 'not-found', message: 'this path does not exist', expected: PATHS })
  })
  app.setErrorHandler((error: Error & { statusCode?: number; validation?: unknown }, request, reply) => {
    if (error.validation !== undefined) return refuse(reply, 400, malformedHash((request.params as { hash?: string }).hash ?? ''))
    if (error instanceof AnswersFullError) {
      reply.header('retry-after', '1')
      return refuse(reply, 503, { error: 'busy', message: error.message, expected: 'the same request later' })
    }
    const status = error.statusCode ?? 500
    if (status < 500) return refuse(reply, status, { error: 'bad-request', message: 'the request cannot be parsed', expected: PATHS })
    log.error('request failed', { route: request.routeOptions.url ?? 'none', error })
    return refuse(reply, 500, {
      error: 'internal',
      message: 'internal error; see the log of the service',
      expected: 'the same request later',
    })
  })
}
