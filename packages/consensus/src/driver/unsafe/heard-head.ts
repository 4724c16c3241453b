import type { Clock } from '@keelson/primitives'

/** The highest unsafe block that was delivered, whether or not its ancestors are here. */
export interface HeardHead {
  note(number: number): void
  readonly number: number | null
}

/** After this time a lower block replaces the highest one, because the unsafe chain may have been reorganised. */
const KEEP_MS = 30_000

export function createHeardHead(clock: Pick<Clock, 'monotonicMs'>): HeardHead {
  let highest: number | null = null
  let atMs = 0
  return {
    note(number) {
      const nowMs = clock.monotonicMs()
      if (highest !== null && number < highest && nowMs - atMs < KEEP_MS) return
      highest = number
      atMs = nowMs
    },
    get number() {
      return highest
    },
  }
}
