import type { Address, Clock } from '@keelson/primitives'
import type { FastifyInstance } from 'fastify'
import type { ClaimRecords } from '../claims/claim-records.ts'
import type { ClaimService } from '../claims/claim-service.ts'
import type { QuotaLedger } from '../claims/quota-ledger.ts'
import { TIER_QUOTAS } from '../tiers/tier.ts'
import type { TierRecords } from '../tiers/tier-records.ts'
import { claimAnswer, timeText } from './answers.ts'
import { type Requests, send } from './requests.ts'
import { claimSchema, statusSchema } from './schemas.ts'

export interface ClaimRoutesOptions {
  readonly account: Address
  readonly chainId: bigint
  readonly amountWei: bigint
}

export interface ClaimRoutesDependencies {
  readonly requests: Requests
  readonly claims: ClaimService
  readonly tiers: Pick<TierRecords, 'tierOf'>
  readonly records: Pick<ClaimRecords, 'latestOf'>
  readonly ledger: QuotaLedger
  readonly trouble: () => { readonly reason: string } | null
  readonly clock: Clock
  readonly signal: AbortSignal
}

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,64}$/

export function addClaimRoutes(app: FastifyInstance, options: ClaimRoutesOptions, deps: ClaimRoutesDependencies): void {
  const { requests, claims, tiers, records, ledger, clock } = deps

  app.post<{ Body: { address: string; captcha?: string | null } }>('/api/claim', { schema: claimSchema }, async (request, reply) => {
    const key = request.headers['idempotency-key']
    if (key !== undefined && (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key))) {
      return send(reply, requests.refusal(request, 400, 'idempotency-key', 'expected an Idempotency-Key of 1 to 64 visible characters'))
    }
    const { subscriber, ip } = requests.caller(request)
    const { address, captcha = null } = request.body
    const answer = await claims.claim({ address, captcha, subscriber, remoteIp: ip, idempotencyKey: key ?? null }, deps.signal)
    return send(reply, claimAnswer(answer, clock.nowMs()))
  })

  app.get<{ Querystring: { address: string } }>('/api/status', { schema: statusSchema }, async (request, reply) => {
    const address = requests.recipient(request, request.query.address)
    if (typeof address !== 'string') return send(reply, address)
    const tier = tiers.tierOf(address)
    const { claims: quota, windowMs } = TIER_QUOTAS[tier]
    const next = ledger.next({ address, subscriber: requests.caller(request).subscriber, tier }, clock.nowMs())
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
}
