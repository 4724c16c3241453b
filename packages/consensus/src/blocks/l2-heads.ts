import type { BlockId, L2BlockRef } from '@keelson/primitives'

export interface L2Heads {
  readonly unsafe: L2BlockRef
  /** Derived from a span batch that is not complete yet; at or above `safe`. */
  readonly pendingSafe: L2BlockRef
  readonly safe: L2BlockRef
  readonly finalized: L2BlockRef
}

export function describeBlock(block: BlockId): string {
  return `${block.number} (${block.hash.slice(0, 10)})`
}
