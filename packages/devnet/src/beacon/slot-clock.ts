/** Which L1 blocks a beacon slot means, for an L1 that has block times but no slots. */

/** One second a slot: then only blocks with equal times share one, however unevenly they are mined. */
export const SECONDS_PER_SLOT = 1

export interface L1Block {
  readonly hash: string
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

/** A reorg by command gives all its blocks one timestamp; of more than this many, the rest is not looked at. */
const MAX_BLOCKS_PER_SLOT = 256

/** All blocks with exactly this timestamp, lowest first, by bisection (timestamps never descend). */
export async function findBlocksAtTime(timestampSec: number, blocks: L1Blocks): Promise<readonly L1Block[]> {
  let low = 0
  let high = await blocks.headNumber()
  while (low <= high) {
    const middle = (low + high) >> 1
    const block = await blocks.byNumber(middle)
    // L1 became shorter under the search: what there is now lies below
    if (block === null || block.timestampSec >= timestampSec) high = middle - 1
    else low = middle + 1
  }
  const found: L1Block[] = []
  while (found.length < MAX_BLOCKS_PER_SLOT) {
    const block = await blocks.byNumber(low + found.length)
    if (block?.timestampSec !== timestampSec) break
    found.push(block)
  }
  return found
}
