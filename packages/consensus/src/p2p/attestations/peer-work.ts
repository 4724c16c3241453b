/**
 * Limits the work of validating one peer's attestations. The budget is charged before the work starts, so concurrent messages
 * cannot exceed it.
 */
import type { Clock } from '@keelson/primitives'
import { createFairTurns } from '../peers/fair-turns.ts'
import { createPeerBudget } from '../peers/peer-budget.ts'

export interface PeerWork<T> {
  isSpent(peer: string): boolean
  spend(peer: string): void
  /** Refunds the charge if `isFree` returns true for the result. */
  run(peer: string, work: () => Promise<T>): Promise<T | 'too-many-waiting' | 'rate-limited'>
}

/** Rate of messages that are not accepted; a peer at the same head sends almost none. */
const FROM_ONE_PEER = { perSec: 50, burst: 500 }
const AT_ONCE = { atOnce: 64, perPeer: 16 }
/** Enough for the attestations of one epoch's active set. */
const MAX_WAITING_OF_ONE_PEER = 1_024

export function createPeerWork<T>(clock: Clock, isFree: (result: T) => boolean): PeerWork<T> {
  const budget = createPeerBudget(FROM_ONE_PEER, clock)
  const turns = createFairTurns({ ...AT_ONCE, maxWaitingPerPeer: MAX_WAITING_OF_ONE_PEER })
  return {
    isSpent: budget.isSpent,
    spend: budget.spend,
    async run(peer, work) {
      const turn = turns.take(peer, async () => {
        const charge = budget.reserve(peer)
        if (charge === null) return 'rate-limited' as const
        const result = await work()
        if (isFree(result)) charge.refund()
        return result
      })
      return turn ?? 'too-many-waiting'
    },
  }
}
