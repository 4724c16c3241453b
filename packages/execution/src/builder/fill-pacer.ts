/**
 * Lets others have their turn while a long transaction runs in a payload under construction, and gives it up when the
 * payload has to be sealed or its time is spent.
 */
import type { Clock } from '@keelson/primitives'
import { nextTurn } from '@keelson/runtime'

export interface FillPacer {
  /** For EvmTracer. */
  pause(): Promise<void> | null
  /** What `work` comes to, or null when it was given up: it never settles then. */
  run<T>(work: () => Promise<T>): Promise<T | null>
}

/** Looks at the clock cost little beside what may happen between two calls. */
const ASKED_BETWEEN_LOOKS = 8
const TURN_AFTER_MS = 10

/** `outOfTime` is asked while `run` waits; at other times nothing is given up. */
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
