import type { ErrorDetails, L1BlockRef, L2BlockRef } from '@keelson/primitives'
import type { SingularBatch } from '../codec/batch/singular-batch.ts'
import type { SpanBatchBlock } from '../codec/span-batch/span-batch-cursor.ts'

export type SpanItem = Omit<SingularBatch, 'parentHash'>

/** Ends at the first block whose L1 origin is outside the window. */
export function* itemsOf(blocks: Iterable<SpanBatchBlock>, origins: readonly L1BlockRef[], parent: L2BlockRef): Generator<SpanItem> {
  const first = origins[0]
  if (first === undefined) return
  for (const block of blocks) {
    if (block.timestampSec <= parent.timestampSec) continue
    const origin = origins[block.epochNumber - first.number]
    if (origin === undefined) return
    yield {
      epoch: { hash: origin.hash, number: origin.number },
      timestampSec: block.timestampSec,
      transactions: block.transactions,
    }
  }
}

export interface SpanCursor {
  readonly remaining: number
  /** Null when the previous block was rejected or replaced, which drops the rest. */
  next(parent: L2BlockRef, blockTimeSec: number): SingularBatch | null
  load(items: Iterator<SpanItem>, count: number): boolean
  giveUp(): void
  reset(): void
}

/** `onGivenUp` receives the number of dropped blocks, and the time of the first one if known. */
export function createSpanCursor(onGivenUp: (rest: ErrorDetails) => void): SpanCursor {
  let items: Iterator<SpanItem> | null = null
  let upcoming: SpanItem | null = null
  let remaining = 0

  function reset(): void {
    items = null
    upcoming = null
    remaining = 0
  }

  function giveUp(): void {
    if (remaining > 0) onGivenUp({ blocks: remaining, ...(upcoming === null ? {} : { fromTimestamp: upcoming.timestampSec }) })
    reset()
  }

  function peek(): SpanItem | null {
    if (upcoming !== null || items === null) return upcoming
    const { done, value } = items.next()
    upcoming = done === true ? null : value
    return upcoming
  }

  return {
    get remaining() {
      return remaining
    },
    next(parent, blockTimeSec) {
      const item = peek()
      if (item === null || item.timestampSec !== parent.timestampSec + blockTimeSec) {
        giveUp()
        return null
      }
      upcoming = null
      remaining--
      if (remaining === 0) reset()
      return { ...item, parentHash: parent.hash }
    },
    load(next, count) {
      reset()
      items = next
      if (peek() === null) {
        reset()
        return false
      }
      remaining = count
      return true
    },
    giveUp,
    reset,
  }
}
