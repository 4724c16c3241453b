import type { L1BlockRef } from '@keelson/primitives'

export interface L1Pace {
  note(head: L1BlockRef): void
  /** Median of recent block times. */
  readonly blockTimeSec: number | null
}

const GAPS = 15
/** L1 counts as late only after this many block times, because several slots in a row may be missed. */
const LATE_BLOCKS = 10
const LEAST_LIMIT_SEC = 30

export function createL1Pace(): L1Pace {
  const gaps: number[] = []
  let last: L1BlockRef | null = null
  return {
    note(head) {
      if (last !== null && head.number > last.number) {
        gaps.push((head.timestampSec - last.timestampSec) / (head.number - last.number))
        if (gaps.length > GAPS) gaps.shift()
      }
      last = head
    },
    get blockTimeSec() {
      return gaps.length === 0 ? null : ([...gaps].sort((a, b) => a - b)[gaps.length >> 1] ?? null)
    },
  }
}

export function l1AgeLimitSec(maxAgeSec: number, blockTimeSec: number | null): number {
  if (blockTimeSec === null) return maxAgeSec
  return Math.min(maxAgeSec, Math.max(LEAST_LIMIT_SEC, Math.ceil(LATE_BLOCKS * blockTimeSec)))
}
