import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Address, Clock, Logger } from '@keelson/primitives'
import { type IpNetwork, listen, type Metrics, retryAfter, type Service, serverUrl } from '@keelson/runtime'
import { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { shareConnections } from '../../connection-shares.ts'
import { type EarlyMistake, earlyErrors } from '../../http-errors.ts'
import type { ClaimRecords } from '../claims/claim-records.ts'
import type { ClaimService } from '../claims/claim-service.ts'
import type { QuotaLedger } from '../claims/quota-ledger.ts'
import { parseRecipient } from '../claims/recipient.ts'
import { TIER_QUOTAS } from '../tiers/tier.ts'
import type { TierRecords } from '../tiers/tier-records.ts'
import type { TierService } from '../tiers/tier-service.ts'
import { type Answer, claimAnswer, page, tierRefusal, timeText } from './answers.ts'
import { type Caller, callerOf, connectedCaller, createRequestLimit } from './caller.ts'
import { mistakeIn } from './request-mistakes.ts'
import { applySchema, callbackSchema, challengeSchema, claimSchema, localSchema, statusSchema, verifySchema } from './schemas.ts'
import { SIGN_IN_PAGE_POLICY, signInPage } from './sign-in-page.ts'

export interface FaucetServerOptions {
  readonly host: string
  readonly port: number
  readonly option?: string
  readonly trustedProxies: readonly IpNetwork[]
  /** Web origins that may call; `*` allows all. */
  readonly corsOrigins: readonly string[]
  /** Rate per caller, over all routes. */
  readonly requestsPerSec: number
  readonly requestBurst: number
  readonly localAccounts: boolean
  readonly account: Address
  readonly chainId: bigint
  readonly amountWei: bigint
}

export interface FaucetServerDependencies {
  readonly claims: ClaimService
  readonly tierService: TierService
  readonly tiers: TierRecords
  readonly records: ClaimRecords
  readonly ledger: QuotaLedger
  readonly trouble: () => { readonly reason: string } | null
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: Metrics
}

export interface FaucetServer extends Service {
  readonly url: string
}

const MAX_BODY_BYTES = 8_192
const CONNECTIONS = { max: 4_096, perCaller: 64, perNetwork: 512 }
/** Each takes two calls to the account provider. */
const SIGN_INS_OF_CALLER = { perSec: 0.1, burst: 10 }
const SIGN_IN_AGAIN_MS = 60_000
const REQUEST_TIMEOUT_MS = 10_000
const KEEP_ALIVE_MS = 20_000
const CORS_SECONDS = '600'
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,64}$/

const EARLY: Readonly<Record<EarlyMistake, string>> = {
  path: 'the path cannot be decoded',
  'too-long': 'the path and the headers are too long',
  'not-http': 'the request is not valid HTTP',
}
/** Routes for error responses. */
const ROUTES: Readonly<Record<string, 'GET' | 'POST'>> = {
  '/api/claim': 'POST',
  '/api/challenge': 'POST',
  '/api/verify': 'POST',
  '/api/apply': 'POST',
  '/api/status': 'GET',
  '/api/verify/callback': 'GET',
  '/health': 'GET',
}

export function createFaucetServer(options: FaucetServerOptions, deps: FaucetServerDependencies): FaucetServer {
  const { claims, tierService, tiers, records, ledger, clock } = deps
  const log = deps.log.child('http')
  const limit = createRequestLimit({ perSec: options.requestsPerSec, burst: options.requestBurst }, clock)
  const signIns = createRequestLimit(SIGN_INS_OF_CALLER, clock)
  const answered = deps.metrics?.counter('http_requests_total', 'Requests by route and status', ['route', 'status'])
  const seconds = deps.metrics?.histogram('http_seconds', 'Time to answer, by route', ['route'])
  const callers = new WeakMap<FastifyRequest, Caller>()
  const begun = new WeakMap<FastifyRequest, number>()
  const stopping = new AbortController()
  let bound: AddressInfo | undefined
  let server: Server | undefined

  const app: FastifyInstance = fastify({
    bodyLimit: MAX_BODY_BYTES,
    routerOptions: { maxParamLength: 200 },
    // The caller's quotas are unknown.
    ...earlyErrors((mistake) => ({ success: false, error: EARLY[mistake], code: 'request', nextClaimTime: timeText(clock.nowMs()) })),
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
    serverFactory: (handler) => {
      const timing = { requestTimeout: REQUEST_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_MS, connectionsCheckingInterval: 1_000 }
      server = createServer({ ...timing, maxHeaderSize: 16_384 }, handler)
      shareConnections(server, CONNECTIONS, (peer) => connectedCaller(peer, options.trustedProxies), { clock, log })
      return server
    },
  })

  const callerIn = (request: FastifyRequest): Caller => callers.get(request) ?? callerOf(undefined, undefined, [])

  const send = (reply: FastifyReply, { status, body, retryAfterMs }: Answer) => {
    if (retryAfterMs !== null) reply.header('retry-after', retryAfter(retryAfterMs))
    return reply.code(status).send(body)
  }

  /** Every refused claim has the next claim time. */
  const refusal = (request: FastifyRequest, status: number, code: string, error: string, retryAfterMs: number | null = null): Answer => ({
    status,
    body: { success: false, error, code, nextClaimTime: timeText(claims.nextClaimAtMs(callerIn(request).subscriber)) },
    retryAfterMs,
  })

  app.addHook('onRequest', async (request, reply) => {
    begun.set(request, clock.monotonicMs())
    const caller = callerOf(request.socket.remoteAddress, request.headers['x-forwarded-for'], options.trustedProxies)
    callers.set(request, caller)
    reply.header('cache-control', 'no-store')
    allowOrigin(request, reply)
    if (request.method === 'OPTIONS') return reply.code(204).send()
    if (!limit.allows(caller.subscriber)) {
      return send(reply, refusal(request, 429, 'rate-limited', 'too many requests from your IP address: slow down', 1000))
    }
  })

  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'other'
    answered?.inc(1, { route, status: reply.statusCode })
    seconds?.observe((clock.monotonicMs() - (begun.get(request) ?? clock.monotonicMs())) / 1000, { route })
  })

  function allowOrigin(request: FastifyRequest, reply: FastifyReply): void {
    const { origin } = request.headers
    const any = options.corsOrigins.includes('*')
    if (origin === undefined || (!any && !options.corsOrigins.includes(origin))) return
    reply.header('access-control-allow-origin', any ? '*' : origin)
    if (!any) reply.header('vary', 'origin')
    reply.header('access-control-expose-headers', 'retry-after')
    if (request.method !== 'OPTIONS') return
    reply.header('access-control-allow-methods', 'GET, POST')
    reply.header('access-control-allow-headers', 'content-type, idempotency-key')
    reply.header('access-control-max-age', CORS_SECONDS)
  }

  app.setErrorHandler((error: FastifyError, request, reply) => {
    const status = error.validation !== undefined ? 400 : (error.statusCode ?? 500)
    if (status < 500) {
      const { code, text } = mistakeIn(error, request.headers['content-type'], MAX_BODY_BYTES)
      return send(reply, refusal(request, status, code, text))
    }
    log.error('request failed', { route: request.routeOptions.url, error })
    return send(reply, refusal(request, 503, 'internal', 'the faucet has an internal error: try again in a minute', 60_000))
  })
  // Text bodies would fail with a misleading error.
  app.removeContentTypeParser('text/plain')
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] as string
    const method = Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined
    if (method !== undefined) {
      reply.header('allow', `${method}, OPTIONS`)
      return send(reply, refusal(request, 405, 'method-not-allowed', `${path} requires ${method}, got ${request.method}`))
    }
    const there = 'not found; use POST /api/claim, /api/challenge, /api/verify, /api/apply, GET /api/status or /health'
    return send(reply, refusal(request, 404, 'not-found', there))
  })

  const addressIn = (request: FastifyRequest, text: string): Address | Answer => {
    const found = parseRecipient(text, options.account)
    return found.ok ? found.address : refusal(request, 400, found.reason, found.text)
  }

  app.post<{ Body: { address: string; captcha?: string } }>('/api/claim', { schema: claimSchema }, async (request, reply) => {
    const key = request.headers['idempotency-key']
    if (key !== undefined && (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key))) {
      return send(reply, refusal(request, 400, 'idempotency-key', 'expected an Idempotency-Key of 1 to 64 visible characters'))
    }
    const { subscriber, ip } = callerIn(request)
    const { address, captcha = null } = request.body
    const answer = await claims.claim({ address, captcha, subscriber, remoteIp: ip, idempotencyKey: key ?? null }, stopping.signal)
    return send(reply, claimAnswer(answer, clock.nowMs()))
  })

  app.get<{ Querystring: { address: string } }>('/api/status', { schema: statusSchema }, async (request, reply) => {
    const address = addressIn(request, request.query.address)
    if (typeof address !== 'string') return send(reply, address)
    const tier = tiers.tierOf(address)
    const { claims: quota, windowMs } = TIER_QUOTAS[tier]
    const next = ledger.next({ address, subscriber: callerIn(request).subscriber, tier }, clock.nowMs())
    const last = records.latestOf(address)
    return reply.send({
      address,
      tier,
      amount: String(options.amountWei),
      quota: { claims: quota, windowSeconds: windowMs / 1000, left: ledger.left(address, tier, clock.nowMs()) },
      nextClaimTime: timeText(Math.max(next.address, next.subscriber, next.network, next.budget)),
      lastClaim:
        last === undefined
          ? null
          : { time: timeText(last.atMs), state: last.state, amount: String(last.amountWei), txHash: last.attempts.at(-1) ?? null },
    })
  })

  app.get('/health', async (_request, reply) => {
    const trouble = deps.trouble()
    const facts = { chainId: String(options.chainId), account: options.account, amount: String(options.amountWei) }
    if (trouble === null) return reply.send({ status: 'ok', ...facts })
    return reply.code(503).send({ status: 'unavailable', reason: trouble.reason, ...facts })
  })

  app.post<{ Body: { address: string; purpose: 'verify' | 'apply' } }>(
    '/api/challenge',
    { schema: challengeSchema },
    async (request, reply) => {
      const address = addressIn(request, request.body.address)
      if (typeof address !== 'string') return send(reply, address)
      const outcome = tierService.challenge(request.body.purpose, address)
      if (!outcome.ok) return send(reply, tierRefusal(outcome.reason, outcome.text))
      const { nonce, message, expiresAtMs, signInUrl } = outcome
      return reply.send({ nonce, message, expiresAt: timeText(expiresAtMs), signInUrl })
    },
  )

  app.get<{ Querystring: { state: string; code?: string; error?: string } }>(
    '/api/verify/callback',
    { schema: callbackSchema },
    async (request, reply) => {
      const { state, code } = request.query
      reply.type('text/html; charset=utf-8').header('referrer-policy', 'no-referrer').header('x-frame-options', 'DENY')
      reply.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
      if (code === undefined) return reply.code(403).send(page('Not signed in', ['The sign-in was cancelled: start again.']))
      if (!options.localAccounts && !signIns.allows(callerIn(request).subscriber)) {
        reply.header('retry-after', retryAfter(SIGN_IN_AGAIN_MS))
        return reply.code(429).send(page('Not signed in', ['There were too many sign-ins from your IP address: try again in a minute.']))
      }
      const outcome = await tierService.signedIn(state, code, stopping.signal)
      if (!outcome.ok) {
        const { status } = tierRefusal(outcome.reason, outcome.text)
        return reply.code(status).send(page('Not signed in', [`Reason: ${outcome.text}.`]))
      }
      return reply.send(
        page('Signed in', [
          `You are ${outcome.login}. To link this account to the address ${outcome.address}, enter this code where you started:`,
          outcome.code,
          'If you did not start this yourself, or the address is not yours, do not share the code and close this page.',
        ]),
      )
    },
  )

  if (options.localAccounts) {
    app.get<{ Querystring: { state: string; login?: string } }>('/api/verify/local', { schema: localSchema }, async (request, reply) => {
      const { state, login } = request.query
      if (login === undefined) {
        reply.type('text/html; charset=utf-8').header('x-frame-options', 'DENY').header('content-security-policy', SIGN_IN_PAGE_POLICY)
        return reply.send(signInPage(state))
      }
      return reply.redirect(`/api/verify/callback?${new URLSearchParams({ state, code: login })}`, 303)
    })
  }

  app.post<{ Body: { address: string; nonce: string; code: string; signature: string } }>(
    '/api/verify',
    { schema: verifySchema },
    async (request, reply) => {
      const address = addressIn(request, request.body.address)
      if (typeof address !== 'string') return send(reply, address)
      const outcome = await tierService.verify({ ...request.body, address })
      if (!outcome.ok) return send(reply, tierRefusal(outcome.reason, outcome.text))
      return reply.send({ success: true, tier: tiers.tierOf(address), account: outcome.login })
    },
  )

  app.post<{ Body: { address: string; nonce: string; signature: string; contact: string; project: string; captcha?: string } }>(
    '/api/apply',
    { schema: applySchema },
    async (request, reply) => {
      const address = addressIn(request, request.body.address)
      if (typeof address !== 'string') return send(reply, address)
      const { subscriber, ip } = callerIn(request)
      const { captcha = null } = request.body
      const outcome = await tierService.apply({ ...request.body, address, captcha, subscriber, remoteIp: ip }, stopping.signal)
      if (!outcome.ok) return send(reply, tierRefusal(outcome.reason, outcome.text))
      return reply.code(202).send({ success: true, tier: tiers.tierOf(address), state: 'waiting for the operator' })
    },
  )

  return {
    name: 'faucet API',
    get url() {
      if (bound === undefined) throw new Error('the faucet is not listening: start it first')
      return serverUrl('http', bound)
    },
    async start() {
      await app.ready()
      const option = options.option === undefined ? {} : { option: options.option }
      bound = await listen(server as Server, { host: options.host, port: options.port, purpose: 'faucet', ...option })
    },
    async stop() {
      stopping.abort()
      const closed = new Promise<void>((resolve) => server?.close(() => resolve()))
      server?.closeAllConnections()
      await closed
      await app.close()
    },
  }
}
