/** Yields the thread during long transactions and abandons them at the payload's deadline. */
import { EvmError } from '@keelson/evm'
import type { Clock } from '@keelson/primitives'
import { nextTurn } from '@keelson/runtime'

export interface FillPacer {
  pause(): Promise<void> | null
  /** True once the running work is to be abandoned; it then throws `evm/interrupted`. */
  stop(): boolean
  /** Null when `work` is abandoned; its promise then never settles, or it was interrupted. */
  run<T>(work: () => Promise<T>): Promise<T | null>
}

const ASKED_BETWEEN_LOOKS = 8
const TURN_AFTER_MS = 10

export function createFillPacer(clock: Clock, outOfTime: () => boolean): FillPacer {
  let asked = 0
  let turnAtMs = clock.monotonicMs() + TURN_AFTER_MS
  let giveUp: (() => void) | null = null
  return {
    pause() {
      if (++asked % ASKED_BETWEEN_LOOKS !== 0) return null
      if (giveUp !== null && outOfTime()) {
        giveUp()
        return new Promise(() => undefined)
      }
      if (clock.monotonicMs() < turnAtMs) return null
      return nextTurn().then(() => {
        turnAtMs = clock.monotonicMs() + TURN_AFTER_MS
      })
    },
    stop: () => giveUp !== null && outOfTime(),
    async run(work) {
      const givenUp = new Promise<null>((resolve) => {
        giveUp = () => resolve(null)
      })
      try {
        return await Promise.race([work(), givenUp])
      } catch (error) {
        if (error instanceof EvmError && error.code === 'evm/interrupted') return null
        throw error
      } finally {
        giveUp = null
      }
    },
  }
}
