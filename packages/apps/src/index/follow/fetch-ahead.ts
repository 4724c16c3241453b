import type { FollowedBlock, FollowedChain } from './follower.ts'

/** Keeps the size of a part near this weight, whatever the size of blocks. */
const TARGET_WEIGHT = 2_000
const MAX_PART_BLOCKS = 200
const FIRST_PART_BLOCKS = 10

export interface FetchAheadOptions {
  readonly partsAtOnce: number
}

/** Fetches parts of a range concurrently and yields them in order. Ends early when a part is not complete. */
export async function* fetchAhead<B extends FollowedBlock>(
  chain: Pick<FollowedChain<B>, 'blocks' | 'weightOf'>,
  range: { readonly from: number; readonly to: number },
  { partsAtOnce }: FetchAheadOptions,
): AsyncGenerator<readonly B[]> {
  const waiting: { readonly count: number; readonly blocks: Promise<readonly B[]> }[] = []
  let next = range.from
  let partBlocks = FIRST_PART_BLOCKS
  for (;;) {
    while (waiting.length < partsAtOnce && next <= range.to) {
      const count = Math.min(partBlocks, range.to - next + 1)
      const blocks = chain.blocks(next, count)
      // A failure counts when its part is taken.
      blocks.catch(() => undefined)
      waiting.push({ count, blocks })
      next += count
    }
    const part = waiting.shift()
    if (part === undefined) return
    const blocks = await part.blocks
    const weight = blocks.reduce((sum, block) => sum + chain.weightOf(block), 0)
    const fitting = Math.floor((blocks.length * TARGET_WEIGHT) / Math.max(1, weight))
    partBlocks = Math.max(1, Math.min(MAX_PART_BLOCKS, fitting, 2 * partBlocks))
    yield blocks
    if (blocks.length < part.count) return
  }
}
