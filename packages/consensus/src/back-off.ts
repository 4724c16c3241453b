import type { Clock } from '@keelson/primitives'

/** Delay that doubles from 100 ms with each failure. */
export interface BackOff {
  failed(): void
  succeeded(): void
  readonly waiting: boolean
  readonly retryAtMs: number | null
}

const FIRST_DELAY_MS = 100
const LONGEST_DELAY_MS = 10_000

export function createBackOff(clock: Clock, longestDelayMs = LONGEST_DELAY_MS): BackOff {
  let delayMs = FIRST_DELAY_MS
  let retryAtMs: number | null = null
  return {
    failed() {
      retryAtMs = clock.nowMs() + delayMs
      delayMs = Math.min(delayMs * 2, longestDelayMs)
    },
    succeeded() {
      delayMs = FIRST_DELAY_MS
      retryAtMs = null
    },
    get waiting() {
      return retryAtMs !== null && clock.nowMs() < retryAtMs
    },
    get retryAtMs() {
      return retryAtMs
    },
  }
}
