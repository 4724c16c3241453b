/**
 * The L1 blocks a batch may have as its origin: from the epoch of the safe head to the block being read.
 * Both batch stages work on one window. protocol/derivation.md#batch-queue
 */
import type { L1BlockRef, L2BlockRef } from '@keelson/primitives'

export interface OriginWindow {
  /** Consecutive; bounded by the sequencing window, after which empty batches move the epoch on. */
  readonly blocks: readonly L1BlockRef[]
  readonly origin: L1BlockRef
  /** Takes in where the pipeline stands and how far the safe head has come. */
  update(pipelineOrigin: L1BlockRef, parent: L2BlockRef): void
  /** All blocks of the first epoch are made. */
  dropFirst(): void
  reset(base: L1BlockRef): void
}

export function createOriginWindow(): OriginWindow {
  let blocks: L1BlockRef[] = []
  let origin: L1BlockRef | null = null
  return {
    get blocks() {
      return blocks
    },
    get origin() {
      return origin as L1BlockRef
    },
    update(pipelineOrigin, parent) {
      if (origin === null || origin.hash !== pipelineOrigin.hash) {
        origin = pipelineOrigin
        // L1 blocks before the safe head's origin can carry nothing new; they only fill the channels
        if (pipelineOrigin.number < parent.l1Origin.number) blocks = []
        else blocks.push(pipelineOrigin)
      }
      const first = blocks[0]
      if (first === undefined || parent.l1Origin.number <= first.number) return
      const epochAt = parent.l1Origin.number - first.number
      if (epochAt < blocks.length) blocks = blocks.slice(epochAt)
    },
    dropFirst() {
      blocks = blocks.slice(1)
    },
    reset(base) {
      origin = base
      blocks = [base]
    },
  }
}
