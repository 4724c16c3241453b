/** Maps beacon slots to blocks of an L1 without slots. */

export const SECONDS_PER_SLOT = 1

export interface L1Block {
  readonly hash: string
  readonly number: number
  readonly timestampSec: number
  readonly blobHashes: readonly string[]
}

export interface L1Blocks {
  byNumber(number: number): Promise<L1Block | null>
  headNumber(): Promise<number>
}

export function slotToTimestampSec(slot: number, genesisTimeSec: number): number {
  return genesisTimeSec + slot * SECONDS_PER_SLOT
}

/** `anvil_reorg` gives all its blocks one timestamp. */
const MAX_BLOCKS_PER_SLOT = 256

export async function findBlocksAtTime(timestampSec: number, blocks: L1Blocks): Promise<readonly L1Block[]> {
  let low = 0
  let high = await blocks.headNumber()
  while (low <= high) {
    const middle = (low + high) >> 1
    const block = await blocks.byNumber(middle)
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
