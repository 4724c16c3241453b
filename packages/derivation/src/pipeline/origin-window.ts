/** The L1 blocks from the safe head's epoch to the current L1 block. protocol/derivation.md#batch-queue */
import type { L1BlockRef, L2BlockRef } from '@keelson/primitives'

export interface OriginWindow {
  /** Consecutive L1 blocks. The sequencing window limits their number: beyond it, empty batches advance the epoch. */
  readonly blocks: readonly L1BlockRef[]
  readonly origin: L1BlockRef
  update(pipelineOrigin: L1BlockRef, parent: L2BlockRef): void
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
        // L1 blocks before the safe head's origin only fill channels.
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
