/** The blocks of an accepted span batch, as singular batches one after the other. */
import type { L1BlockRef, L2BlockRef } from '@keelson/primitives'
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

export interface SpanCursor {
  readonly remaining: number
  /** The next item when it follows `parent`, else null and the rest is given up: what came before it was refused. */
  next(parent: L2BlockRef, blockTimeSec: number): SingularBatch | null
  load(items: readonly SpanItem[]): void
  clear(): void
}

export function createSpanCursor(): SpanCursor {
  let items: readonly SpanItem[] = []
  let at = 0
  return {
    get remaining() {
      return items.length - at
    },
    next(parent, blockTimeSec) {
      const item = items[at]
      if (item === undefined) return null
      if (item.timestampSec !== parent.timestampSec + blockTimeSec) {
        this.clear()
        return null
      }
      at++
      if (at === items.length) this.clear()
      return { ...item, parentHash: parent.hash }
    },
    load(next) {
      items = next
      at = 0
    },
    clear() {
      items = []
      at = 0
    },
  }
}
