import type { Clock, Logger } from '@keelson/primitives'
import { asksForPage, type Metrics, renderPortPage } from '@keelson/runtime'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RequestLimit } from './caller.ts'
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

const CORS_SECONDS = '600'
const ROUTES: Readonly<Record<string, 'GET' | 'POST'>> = {
  '/api/claim': 'POST',
  '/api/challenge': 'POST',
  '/api/verify': 'POST',
  '/api/apply': 'POST',
  '/api/status': 'GET',
  '/api/verify/callback': 'GET',
  '/health': 'GET',
}

export function addRequestHooks(app: FastifyInstance, corsOrigins: readonly string[], deps: RequestHooksDependencies): void {
  const { requests, limit, clock, metrics } = deps
  const answered = metrics?.counter('http_requests_total', 'Requests by route and status', ['route', 'status'])
  const seconds = metrics?.histogram('http_seconds', 'Time to answer, by route', ['route'])
  const begun = new WeakMap<FastifyRequest, number>()

  app.addHook('onRequest', async (request, reply) => {
    begun.set(request, clock.monotonicMs())
    reply.header('cache-control', 'no-store')
    allowOrigin(request, reply, corsOrigins)
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
  // Without this, text bodies would fail with a misleading error.
  app.removeContentTypeParser('text/plain')
  app.setNotFoundHandler((request, reply) => {
    if (asksForPage(request.raw)) {
      const { headers, body } = renderPortPage(PAGE)
      return reply.headers(headers).send(body)
    }
    const path = request.url.split('?')[0] as string
    const method = Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined
    if (method !== undefined) {
      reply.header('allow', `${method}, OPTIONS`)
      return send(reply, requests.refusal(request, 405, 'method-not-allowed', `${path} requires ${method}, got ${request.method}`))
    }
    const there = 'not found; use POST /api/claim, /api/challenge, /api/verify, /api/apply, GET /api/status or /health'
    return send(reply, requests.refusal(request, 404, 'not-found', there))
  })
}

function allowOrigin(request: FastifyRequest, reply: FastifyReply, origins: readonly string[]): void {
  const { origin } = request.headers
  const any = origins.includes('*')
  if (origin === undefined || (!any && !origins.includes(origin))) return
  reply.header('access-control-allow-origin', any ? '*' : origin)
  if (!any) reply.header('vary', 'origin')
  reply.header('access-control-expose-headers', 'retry-after')
  if (request.method !== 'OPTIONS') return
  reply.header('access-control-allow-methods', 'GET, POST')
  reply.header('access-control-allow-headers', 'content-type, idempotency-key')
  reply.header('access-control-max-age', CORS_SECONDS)
}
