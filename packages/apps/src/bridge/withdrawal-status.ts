import { isTemporary } from '@keelson/client'
import { type Address, type Clock, type Hash, type Logger, NodeError } from '@keelson/primitives'
import type { WithdrawalProgress, WithdrawalState } from './transfers/withdrawal-progress.ts'

export interface WithdrawalView {
  readonly status: WithdrawalState
  readonly withdrawalHash: Hash | null
  readonly l2BlockNumber: number | null
  readonly sender: Address | null
  readonly target: Address | null
  readonly value: string | null
  readonly text: string
  readonly nextStepTime: string | null
  readonly nextAction: { readonly code: 'wait' | 'prove' | 'finalize' | 'none'; readonly text: string }
}

export interface WithdrawalsView {
  readonly l2TxHash: Hash
  readonly status: WithdrawalState
  readonly withdrawals: readonly WithdrawalView[]
  readonly asOf: string
}

export type WithdrawalsAnswer =
  | { readonly kind: 'found'; readonly withdrawals: WithdrawalsView }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unavailable'; readonly reason: string }

export interface WithdrawalStatus {
  status(l2TxHash: Hash): Promise<WithdrawalsAnswer>
}

export interface WithdrawalStatusDependencies {
  readonly read: (l2TxHash: Hash) => Promise<readonly WithdrawalProgress[] | null>
  readonly clock: Clock
  readonly log: Logger
}

const FRESH_MS = 2_000
const MAX_REMEMBERED = 1_000
const MAX_UNDER_WAY = 16
const ORDER: readonly WithdrawalState[] = [
  'waiting-to-prove',
  'ready-to-prove',
  'waiting-to-finalize',
  'ready-to-finalize',
  'failed',
  'finalized',
]
const ACTIONS: Readonly<Record<WithdrawalState, WithdrawalView['nextAction']>> = {
  'waiting-to-prove': { code: 'wait', text: 'wait until you can prove it' },
  'ready-to-prove': { code: 'prove', text: 'prove it on L1; this is not automatic' },
  'waiting-to-finalize': { code: 'wait', text: 'wait until you can finalize it' },
  'ready-to-finalize': { code: 'finalize', text: 'finalize it on L1; this is not automatic' },
  finalized: { code: 'none', text: 'none; the withdrawal is complete' },
  failed: { code: 'none', text: 'nothing was withdrawn; see why the L2 transaction failed, and withdraw again' },
}

export function createWithdrawalStatus({ read, clock, log }: WithdrawalStatusDependencies): WithdrawalStatus {
  const kept = new Map<Hash, { readonly atMs: number; readonly answer: Promise<WithdrawalsAnswer> }>()
  let underWay = 0

  const ask = async (l2TxHash: Hash): Promise<WithdrawalsAnswer> => {
    underWay++
    try {
      const progress = await read(l2TxHash)
      return progress === null ? { kind: 'unknown' } : { kind: 'found', withdrawals: viewOf(l2TxHash, progress, clock.nowMs()) }
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      if (!isTemporary(error)) log.warn('cannot read the state of a withdrawal', { l2TxHash, error })
      return { kind: 'unavailable', reason: 'L1 or L2 is unavailable' }
    } finally {
      underWay--
    }
  }

  return {
    async status(l2TxHash) {
      const before = kept.get(l2TxHash)
      if (before !== undefined && clock.monotonicMs() - before.atMs < FRESH_MS) return before.answer
      if (underWay >= MAX_UNDER_WAY) return { kind: 'unavailable', reason: 'too many requests' }
      const answer = ask(l2TxHash)
      kept.delete(l2TxHash)
      kept.set(l2TxHash, { atMs: clock.monotonicMs(), answer })
      if (kept.size > MAX_REMEMBERED) kept.delete(kept.keys().next().value as Hash)
      return answer
    },
  }
}

function viewOf(l2TxHash: Hash, progress: readonly WithdrawalProgress[], nowMs: number): WithdrawalsView {
  const withdrawals = progress.map((one): WithdrawalView => {
    const status = one.state
    const waits = ACTIONS[status].code === 'wait' && one.nextStepInSec !== null
    return {
      status,
      withdrawalHash: one.withdrawalHash,
      l2BlockNumber: one.l2Block,
      sender: one.withdrawal?.sender ?? null,
      target: one.withdrawal?.target ?? null,
      value: one.withdrawal?.valueWei.toString() ?? null,
      text: one.text,
      nextStepTime: waits ? new Date(nowMs + (one.nextStepInSec as number) * 1000).toISOString() : null,
      nextAction: ACTIONS[status],
    }
  })
  const status = ORDER.find((word) => withdrawals.some((one) => one.status === word)) ?? 'failed'
  return { l2TxHash, status, withdrawals, asOf: new Date(nowMs).toISOString() }
}
