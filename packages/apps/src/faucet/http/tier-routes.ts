import { retryAfter } from '@keelson/runtime'
import type { FastifyInstance } from 'fastify'
import { TIER_QUOTAS, TIERS } from '../tiers/tier.ts'
import type { TierRecords } from '../tiers/tier-records.ts'
import type { TierService } from '../tiers/tier-service.ts'
import { page, tierRefusal, timeText } from './answers.ts'
import type { RequestLimit } from './caller.ts'
import { type Requests, send } from './requests.ts'
import { applySchema, callbackSchema, challengeSchema, localSchema, verifySchema } from './schemas.ts'
import { SIGN_IN_PAGE_POLICY, signInPage } from './sign-in-page.ts'

export interface TierRoutesDependencies {
  readonly requests: Requests
  readonly tierService: TierService
  readonly tiers: Pick<TierRecords, 'tierOf'>
  readonly signIns: RequestLimit | null
  readonly signal: AbortSignal
}

const SIGN_IN_AGAIN_MS = 60_000

export function addTierRoutes(app: FastifyInstance, deps: TierRoutesDependencies): void {
  const { requests, tierService, tiers } = deps
  const quotas = TIERS.map((tier) => ({ tier, claims: TIER_QUOTAS[tier].claims, windowSeconds: TIER_QUOTAS[tier].windowMs / 1000 }))

  app.get('/api/tiers', async (_request, reply) => reply.send({ tiers: quotas, accounts: tierService.accounts }))

  app.post<{ Body: { address: string; purpose: 'verify' | 'apply' } }>(
    '/api/challenge',
    { schema: challengeSchema },
    async (request, reply) => {
      const address = requests.recipient(request, request.body.address)
      if (typeof address !== 'string') return send(reply, address)
      const outcome = tierService.challenge(request.body.purpose, address)
      if (!outcome.ok) return send(reply, tierRefusal(outcome.reason, outcome.text))
      const { nonce, message, expiresAtMs, signInUrl } = outcome
      return reply.send({ nonce, message, expiresAt: timeText(expiresAtMs), signInUrl })
    },
  )

  addSignInRoutes(app, deps)

  app.post<{ Body: { address: string; nonce: string; code: string; signature: string } }>(
    '/api/verify',
    { schema: verifySchema },
    async (request, reply) => {
      const address = requests.recipient(request, request.body.address)
      if (typeof address !== 'string') return send(reply, address)
      const outcome = await tierService.verify({ ...request.body, address })
      if (!outcome.ok) return send(reply, tierRefusal(outcome.reason, outcome.text))
      return reply.send({ success: true, tier: tiers.tierOf(address), account: outcome.login })
    },
  )

  app.post<{ Body: { address: string; nonce: string; signature: string; contact: string; project: string; captcha?: string | null } }>(
    '/api/apply',
    { schema: applySchema },
    async (request, reply) => {
      const address = requests.recipient(request, request.body.address)
      if (typeof address !== 'string') return send(reply, address)
      const { subscriber, ip } = requests.caller(request)
      const { captcha = null } = request.body
      const outcome = await tierService.apply({ ...request.body, address, captcha, subscriber, remoteIp: ip }, deps.signal)
      if (!outcome.ok) return send(reply, tierRefusal(outcome.reason, outcome.text))
      return reply.code(202).send({ success: true, tier: tiers.tierOf(address), state: 'waiting for the operator' })
    },
  )
}

function addSignInRoutes(app: FastifyInstance, { requests, tierService, signIns, signal }: TierRoutesDependencies): void {
  app.get<{ Querystring: { state: string; code?: string; error?: string } }>(
    '/api/verify/callback',
    { schema: callbackSchema },
    async (request, reply) => {
      const { state, code } = request.query
      reply.type('text/html; charset=utf-8').header('referrer-policy', 'no-referrer').header('x-frame-options', 'DENY')
      reply.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
      if (code === undefined) return reply.code(403).send(page('Not signed in', ['The sign-in was cancelled: start again.']))
      if (signIns !== null && !signIns.allows(requests.caller(request).subscriber)) {
        reply.header('retry-after', retryAfter(SIGN_IN_AGAIN_MS))
        return reply.code(429).send(page('Not signed in', ['There were too many sign-ins from your IP address: try again in a minute.']))
      }
      const outcome = await tierService.signedIn(state, code, signal)
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

  if (signIns !== null) return
  app.get<{ Querystring: { state: string; login?: string } }>('/api/verify/local', { schema: localSchema }, async (request, reply) => {
    const { state, login } = request.query
    if (login === undefined) {
      reply.type('text/html; charset=utf-8').header('x-frame-options', 'DENY').header('content-security-policy', SIGN_IN_PAGE_POLICY)
      return reply.send(signInPage(state))
    }
    return reply.redirect(`/api/verify/callback?${new URLSearchParams({ state, code: login })}`, 303)
  })
}
