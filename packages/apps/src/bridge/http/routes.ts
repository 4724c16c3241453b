import { type Clock, type Hash, toHash } from '@keelson/primitives'
import { withDeadline } from '@keelson/runtime'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { BridgeStatus, StatusAnswer } from '../bridge-status.ts'
import type { WithdrawalStatus, WithdrawalsAnswer } from '../withdrawal-status.ts'
import { errorSchema, hashParams, healthSchema, statusSchema, withdrawalsSchema } from './http-schema.ts'
import { HASH, refuse } from './refusal.ts'

export interface RoutesDependencies {
  readonly bridge: Pick<BridgeStatus, 'status' | 'trouble' | 'lagBlocks'>
  readonly withdrawals: WithdrawalStatus | null
  readonly clock: Clock
}

type Missing = { readonly kind: 'unknown' } | { readonly kind: 'unavailable'; readonly reason: string }
type FoundStatus = Extract<StatusAnswer, { kind: 'found' }>
type FoundWithdrawals = Extract<WithdrawalsAnswer, { kind: 'found' }>

const ANSWER_TIMEOUT_MS = 8_000
const RETRY_AFTER_SEC = 5
const FAILURES = { '4xx': errorSchema, '5xx': errorSchema }
const NO_SUCH_DEPOSIT =
  'L1 has no transaction {hash} in a block or its pool (for an L2 transaction that started a withdrawal use /api/withdrawals/{hash})'
const NO_SUCH_WITHDRAWAL =
  'L2 has no transaction {hash}, or it contains no withdrawal (for an L1 transaction with a deposit use /api/status/{hash})'

export function addRoutes(app: FastifyInstance, { bridge, withdrawals, clock }: RoutesDependencies): void {
  app.get('/health', { schema: { response: { 200: healthSchema, 503: healthSchema } } }, async (_, reply) => {
    const trouble = bridge.trouble()
    return reply
      .code(trouble === null ? 200 : 503)
      .send({ ok: trouble === null, reason: trouble?.reason ?? null, indexLagBlocks: bridge.lagBlocks })
  })

  app.get<{ Params: { hash: string } }>(
    '/api/status/:hash',
    { schema: { params: hashParams, response: { 200: statusSchema, ...FAILURES } } },
    async (request, reply) => {
      const hash = toHash(request.params.hash.toLowerCase())
      const found = await findOrRefuse<FoundStatus>(reply, hash, bridge.status(hash), NO_SUCH_DEPOSIT, clock)
      return found === null ? reply : found.status
    },
  )

  if (withdrawals === null) return
  app.get<{ Params: { hash: string } }>(
    '/api/withdrawals/:hash',
    { schema: { params: hashParams, response: { 200: withdrawalsSchema, ...FAILURES } } },
    async (request, reply) => {
      const hash = toHash(request.params.hash.toLowerCase())
      const found = await findOrRefuse<FoundWithdrawals>(reply, hash, withdrawals.status(hash), NO_SUCH_WITHDRAWAL, clock)
      return found === null ? reply : found.withdrawals
    },
  )
}

async function findOrRefuse<T extends { readonly kind: 'found' }>(
  reply: FastifyReply,
  hash: Hash,
  answer: Promise<T | Missing>,
  unknown: string,
  clock: Clock,
): Promise<T | null> {
  const found = await withDeadline(answer, { clock, ms: ANSWER_TIMEOUT_MS, onTimeout: () => null })
  if (found?.kind === 'found') return found
  if (found?.kind === 'unknown') {
    refuse(reply, 404, {
      error: 'unknown-transaction',
      message: `${unknown.replaceAll('{hash}', hash)}; a transaction that was just sent may take some seconds`,
      expected: HASH,
    })
    return null
  }
  reply.header('retry-after', String(RETRY_AFTER_SEC))
  refuse(reply, 503, {
    error: 'unavailable',
    message: `nothing is known of this transaction yet: ${found?.reason ?? 'L1 or L2 did not respond in time'}`,
    expected: 'the same request later',
  })
  return null
}
