/** Which L1 block a beacon slot means, for an L1 that has block times but no slots. */

/** One second a slot: then no two blocks share one, however unevenly they are mined. */
export const SECONDS_PER_SLOT = 1

export interface L1Block {
  readonly number: number
  readonly timestampSec: number
  /** Versioned hashes of the block's blobs, in order. */
  readonly blobHashes: readonly string[]
}

export interface L1Blocks {
  /** Null above the head. */
  byNumber(number: number): Promise<L1Block | null>
  headNumber(): Promise<number>
}

export function slotToTimestampSec(slot: number, genesisTimeSec: number): number {
  return genesisTimeSec + slot * SECONDS_PER_SLOT
}

/** The block with exactly this timestamp, by bisection (timestamps ascend); null when there is none. */
export async function findBlockAtTime(timestampSec: number, blocks: L1Blocks): Promise<L1Block | null> {
  let low = 0
  let high = await blocks.headNumber()
  while (low <= high) {
    const middle = (low + high) >> 1
    const block = await blocks.byNumber(middle)
    if (block === null) return null
    if (block.timestampSec === timestampSec) return block
    if (block.timestampSec < timestampSec) low = middle + 1
    else high = middle - 1
  }
  return null
}
