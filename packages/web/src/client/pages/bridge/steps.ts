/** Where a transfer is, as the list of all its steps. */
import type { DepositStatus, WithdrawalStatus } from './bridge-types.ts'

export interface Step {
  readonly name: string
  readonly state: 'done' | 'current' | 'failed' | 'to come'
  /** What happens or happened in it. */
  readonly text: string
}

export function depositSteps(status: DepositStatus): readonly Step[] {
  const { state, l1, l2BlockNumber, reason, nextAction } = status
  const texts: readonly (readonly [name: string, text: string])[] = [
    ['Send on L1', 'a transaction of your account'],
    ['Included on L1', l1.blockNumber === null ? 'waits in the pool of L1' : `in L1 block ${l1.blockNumber}`],
    ['Included on L2', l2BlockNumber === null ? 'L2 takes the deposits of each L1 block soon after it' : `in L2 block ${l2BlockNumber}`],
    ['Safe on L2', 'its block can be derived from L1 alone'],
  ]
  const at = reachedBy(status)
  return texts.map(([name, text], i) => {
    if (i < at) return { name, text, state: 'done' }
    if (i > at) return { name, text, state: 'to come' }
    return state === 'failed' ? { name, text: reason?.text ?? nextAction.text, state: 'failed' } : { name, text, state: 'current' }
  })
}

function reachedBy({ state, l1, l2BlockNumber }: DepositStatus): number {
  if (state === 'complete') return 4
  if (state === 'failed') return l2BlockNumber === null ? 1 : 2
  if (l2BlockNumber !== null) return 3
  return l1.status === 'included' ? 2 : 1
}

const REACHED: Readonly<Record<Exclude<WithdrawalStatus['status'], 'failed'>, number>> = {
  'waiting-to-prove': 1,
  'ready-to-prove': 2,
  'waiting-to-finalize': 3,
  'ready-to-finalize': 4,
  finalized: 5,
}

export function withdrawalSteps({ status, l2BlockNumber, text }: WithdrawalStatus): readonly Step[] {
  const texts: readonly (readonly [name: string, text: string])[] = [
    ['Withdraw on L2', l2BlockNumber === null ? 'L2 has not included it yet' : `in L2 block ${l2BlockNumber}`],
    ['Output on L1', 'the proposer puts an output root on L1 for a later block, once that is final'],
    ['Prove on L1', 'a transaction that shows the withdrawal in that output'],
    ['Challenge period', 'a wrong output can be deleted while it lasts'],
    ['Finalize on L1', 'a transaction that pays out'],
  ]
  const at = status === 'failed' ? 0 : l2BlockNumber === null ? 0 : REACHED[status]
  return texts.map(([name, words], i) => {
    if (i < at) return { name, text: words, state: 'done' }
    if (i > at) return { name, text: words, state: 'to come' }
    return status === 'failed' ? { name, text, state: 'failed' } : { name, text: words, state: 'current' }
  })
}
