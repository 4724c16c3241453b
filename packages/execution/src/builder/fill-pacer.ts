/** Yields the thread during long transactions and abandons them at the payload's deadline. */
import type { Clock } from '@keelson/primitives'
import { nextTurn } from '@keelson/runtime'

export interface FillPacer {
  pause(): Promise<void> | null
  /** Null when `work` is abandoned; its promise then never settles. */
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
    async run(work) {
      const givenUp = new Promise<null>((resolve) => {
        giveUp = () => resolve(null)
      })
      try {
        return await Promise.race([work(), givenUp])
      } finally {
        giveUp = null
      }
    },
  }
}
