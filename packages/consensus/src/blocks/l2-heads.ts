import type { BlockId, L2BlockRef } from '@keelson/primitives'

export interface L2Heads {
  readonly unsafe: L2BlockRef
  /** The last block derived so far from a span batch that is still incomplete; at or above `safe`. */
  readonly pendingSafe: L2BlockRef
  readonly safe: L2BlockRef
  readonly finalized: L2BlockRef
}

export function describeBlock(block: BlockId): string {
  return `${block.number} (${block.hash.slice(0, 10)})`
}
