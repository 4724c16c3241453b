/** The blocks of an accepted span batch, as singular batches one after the other. */
import type { ErrorDetails, L1BlockRef, L2BlockRef } from '@keelson/primitives'
import type { SingularBatch } from '../codec/singular-batch.ts'
import type { SpanBatch } from '../codec/span-batch.ts'

/** A singular batch whose parent is known only when its turn has come. */
export type SpanItem = Omit<SingularBatch, 'parentHash'>

/** Blocks after `parent`. Null when one of them names an L1 origin outside the window. */
export function itemsOf(batch: SpanBatch, origins: readonly L1BlockRef[], parent: L2BlockRef): SpanItem[] | null {
  const first = origins[0]
  if (first === undefined) return null
  const items: SpanItem[] = []
  for (const block of batch.blocks) {
    if (block.timestampSec <= parent.timestampSec) continue
    const origin = origins[block.epochNumber - first.number]
    if (origin === undefined) return null
    items.push({
      epoch: { hash: origin.hash, number: origin.number },
      timestampSec: block.timestampSec,
      transactions: block.transactions,
    })
  }
  return items
}

/** For the report of their drop. */
export function describeItems(items: readonly SpanItem[]): ErrorDetails {
  return { blocks: items.length, fromTimestamp: (items[0] as SpanItem).timestampSec }
}

export interface SpanCursor {
  readonly remaining: number
  /** The next item when it follows `parent`, else null and the rest is given up: what came before it was refused or replaced. */
  next(parent: L2BlockRef, blockTimeSec: number): SingularBatch | null
  load(items: readonly SpanItem[]): void
  /** Drops what is left, and says so. */
  giveUp(): void
  reset(): void
}

/** `onGivenUp` is told the items that are not used any more; never none. */
export function createSpanCursor(onGivenUp: (rest: readonly SpanItem[]) => void): SpanCursor {
  let items: readonly SpanItem[] = []
  let at = 0

  function reset(): void {
    items = []
    at = 0
  }

  function giveUp(): void {
    if (at < items.length) onGivenUp(items.slice(at))
    reset()
  }

  return {
    get remaining() {
      return items.length - at
    },
    next(parent, blockTimeSec) {
      const item = items[at]
      if (item === undefined) return null
      if (item.timestampSec !== parent.timestampSec + blockTimeSec) {
        giveUp()
        return null
      }
      at++
      if (at === items.length) reset()
      return { ...item, parentHash: parent.hash }
    },
    load(next) {
      items = next
      at = 0
    },
    giveUp,
    reset,
  }
}
