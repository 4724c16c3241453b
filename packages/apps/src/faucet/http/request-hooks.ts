import { isUtf8 } from 'node:buffer'
import type { Clock, Logger } from '@keelson/primitives'
import { asksForPage, corsHeaders, type Metrics, renderPortPage } from '@keelson/runtime'
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import type { RequestLimit } from './caller.ts'
import { allowedAt, methodOf } from './faucet-paths.ts'
import { mistakeIn } from './request-mistakes.ts'
import { type Requests, send } from './requests.ts'

export interface RequestHooksDependencies {
  readonly requests: Requests
  readonly limit: RequestLimit
  readonly clock: Clock
  readonly metrics: Metrics | undefined
}

const PAGE = {
  title: 'Keelson: the faucet',
  lines: [
    'This port pays test tokens. Programs call it; for people there is a form in the pages, on port 8080 unless the operator moved them.',
    'POST /api/claim with {"address": "0x..."} claims tokens, GET /api/status?address=0x... shows when the next claim is possible.',
  ],
  paths: ['/health', '/api/tiers'],
}

const CORS = { methods: ['GET', 'POST'], headers: ['content-type', 'idempotency-key'], exposed: ['retry-after'] }

export function addRequestHooks(app: FastifyInstance, corsOrigins: readonly string[], deps: RequestHooksDependencies): void {
  const { requests, limit, clock, metrics } = deps
  const answered = metrics?.counter('http_requests_total', 'Requests by route and status', ['route', 'status'])
  const seconds = metrics?.histogram('http_seconds', 'Time to answer, by route', ['route'])
  const begun = new WeakMap<FastifyRequest, number>()

  app.addHook('onRequest', async (request, reply) => {
    begun.set(request, clock.monotonicMs())
    reply.header('cache-control', 'no-store')
    reply.headers(corsHeaders(request, { ...CORS, origins: corsOrigins }))
    if (request.method === 'OPTIONS') return reply.code(204).send()
    if (!limit.allows(requests.caller(request).subscriber)) {
      return send(reply, requests.refusal(request, 429, 'rate-limited', 'too many requests from your IP address: slow down', 1000))
    }
  })

  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'other'
    answered?.inc(1, { route, status: reply.statusCode })
    seconds?.observe((clock.monotonicMs() - (begun.get(request) ?? clock.monotonicMs())) / 1000, { route })
  })
}

export function addErrorHandlers(app: FastifyInstance, maxBodyBytes: number, requests: Requests, log: Logger): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const status = error.validation !== undefined ? 400 : (error.statusCode ?? 500)
    if (status < 500) {
      const { code, text } = mistakeIn(error, request.headers['content-type'], maxBodyBytes)
      return send(reply, requests.refusal(request, status, code, text))
    }
    log.error('request failed', { route: request.routeOptions.url, error })
    return send(reply, requests.refusal(request, 503, 'internal', 'the faucet has an internal error: try again in a minute', 60_000))
  })
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    // RFC 8259, section 8.1: JSON is UTF-8. Fastify would replace other bytes.
    if (isUtf8(body)) parseJson(request, body.toString(), done)
    else done(Object.assign(new Error('the body is not valid UTF-8'), { statusCode: 400 }))
  })
  // Without this, text bodies would fail with a misleading error.
  app.removeContentTypeParser('text/plain')
  app.setNotFoundHandler((request, reply) => {
    if (asksForPage(request.raw)) {
      const { headers, body } = renderPortPage(PAGE)
      return reply.headers(headers).send(body)
    }
    const path = request.url.split('?')[0] as string
    const method = methodOf(path)
    if (method !== null) {
      reply.header('allow', allowedAt(path))
      return send(reply, requests.refusal(request, 405, 'method-not-allowed', `${path} requires ${method}, got ${request.method}`))
    }
    const there = 'not found; use POST /api/claim, /api/challenge, /api/verify, /api/apply, GET /api/status or /health'
    return send(reply, requests.refusal(request, 404, 'not-found', there))
  })
}
