/**
 * Bounds the wait for candidates whose head L1 reverted. They give up that part of their chain themselves, and the blocks below it
 * stay valid; until then nobody knows where those end.
 */
import type { Clock } from '@keelson/primitives'

export const REVERTED_WAIT_MS = 30_000

export interface RevertedWait {
  /** Whether to wait, given whether there is such a candidate now. The time starts over when there was none. */
  lasts(isReverted: boolean): boolean
}

export function createRevertedWait(clock: Pick<Clock, 'monotonicMs'>): RevertedWait {
  let sinceMs: number | null = null
  return {
    lasts(isReverted) {
      if (!isReverted) {
        sinceMs = null
        return false
      }
      sinceMs ??= clock.monotonicMs()
      return clock.monotonicMs() - sinceMs < REVERTED_WAIT_MS
    },
  }
}
