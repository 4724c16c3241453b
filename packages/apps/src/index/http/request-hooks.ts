import type { Logger } from '@keelson/primitives'
import {
  AnswerMemory,
  AnswersFullError,
  anonymousOrigin,
  corsHeaders,
  createByteBudget,
  limitedClient,
  type Metrics,
  type RpcAccess,
  TRUSTED_TIER,
} from '@keelson/runtime'
import type { FastifyInstance } from 'fastify'
import { VerifyRefusal } from '../verify/verify-refusal.ts'
import { UnavailableError } from './answer.ts'
import { RequestMistake } from './request-mistake.ts'
import { answerRefusal } from './verification/answer-refusal.ts'

export interface RequestHooksOptions {
  readonly corsOrigins: readonly string[]
  readonly rate: { readonly perSec: number }
}

const CORS = { methods: ['GET', 'HEAD', 'POST', 'OPTIONS'], headers: ['content-type'], exposed: ['retry-after'] }
/** Answers that wait for their readers: all, and those of one caller. */
const ANSWER_BYTES = 64 * 1024 * 1024
const ANSWER_BYTES_PER_CALLER = 16 * 1024 * 1024
const PATHS = 'a path that GET / lists'

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
    return reply.code(429).send({
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

export function addErrorHandlers(app: FastifyInstance, log: Logger): void {
  app.setNotFoundHandler((request, reply) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      reply.header('allow', 'GET, HEAD, OPTIONS')
      const message = `${request.method} is not served here`
      return reply.code(405).send({ error: 'method-not-allowed', message, expected: PATHS })
    }
    return reply.code(404).send({ error: 'not-found', message: 'this path does not exist', expected: PATHS })
  })
  app.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    if (error instanceof RequestMistake)
      return reply.code(400).send({ error: 'bad-request', message: error.message, expected: error.expected })
    if (error instanceof VerifyRefusal) return answerRefusal(reply, error)
    if (error instanceof UnavailableError) {
      reply.header('retry-after', String(error.retryAfterSec))
      return reply.code(503).send({ error: 'unavailable', message: error.message, expected: error.expected })
    }
    if (error instanceof AnswersFullError) {
      reply.header('retry-after', '1')
      return reply.code(503).send({ error: 'busy', message: error.message, expected: 'the same request later' })
    }
    const status = error.statusCode ?? 500
    if (status === 413) {
      const expected = 'a contract of up to 1 MiB of JSON, and no body elsewhere'
      return reply.code(413).send({ error: 'too-large', message: 'the body is too large', expected })
    }
    if (status < 500) return reply.code(status).send({ error: 'bad-request', message: 'the request cannot be parsed', expected: PATHS })
    log.error('request failed', { route: request.routeOptions.url ?? 'none', error })
    const message = 'internal error; see the log of the service'
    return reply.code(500).send({ error: 'internal', message, expected: 'the same request later' })
  })
}
