/** Interrupts a transaction that runs too long, because nothing else runs in the meantime. */
import { EvmError } from '@keelson/evm'
import type { Clock } from '@keelson/primitives'

export interface FillDeadline {
  stop(): boolean
  /** Returns null when `work` was interrupted. Outside of it, `stop` is false. */
  run<T>(work: () => T): T | null
}

export function createFillDeadline(clock: Clock, maxTransactionMs: number, outOfTime: () => boolean): FillDeadline {
  let deadlineMs: number | null = null
  return {
    stop: () => deadlineMs !== null && (clock.monotonicMs() >= deadlineMs || outOfTime()),
    run(work) {
      deadlineMs = clock.monotonicMs() + maxTransactionMs
      try {
        return work()
      } catch (error) {
        if (error instanceof EvmError && error.code === 'evm/interrupted') return null
        throw error
      } finally {
        deadlineMs = null
      }
    },
  }
}
