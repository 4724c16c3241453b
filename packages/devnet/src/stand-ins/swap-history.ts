import { type BlockFacts, type ChainReader, MAX_SWAP_BLOCKS, type SwapEvent } from '@keelson/platform'
import type { Address, Hash } from '@keelson/primitives'

export interface KnownSwaps {
  readonly fromBlock: number
  readonly swaps: readonly SwapEvent[]
}

export interface SwapHistory {
  upTo(head: BlockFacts, pools: readonly Address[]): Promise<KnownSwaps>
}

interface Kept extends KnownSwaps {
  readonly pools: string
  readonly toBlock: number
  readonly toHash: Hash
}

const MAX_SWAPS = 10_000

/** Starts over after a reorg, a change of pools, or a long gap. */
export function createSwapHistory(chain: ChainReader): SwapHistory {
  let reading: Promise<Kept | null> = Promise.resolve(null)

  async function usable(kept: Kept | null, head: BlockFacts, pools: string): Promise<Kept | null> {
    if (kept === null || kept.pools !== pools || head.number - kept.toBlock > MAX_SWAP_BLOCKS || head.number < kept.toBlock) return null
    if (kept.toBlock === head.number) return kept.toHash === head.hash ? kept : null
    return (await chain.block(kept.toBlock))?.hash === kept.toHash ? kept : null
  }

  async function readOn(before: Kept | null, head: BlockFacts, addresses: readonly Address[]): Promise<Kept> {
    const pools = addresses.join(',')
    // A concurrent request may have read a later head.
    if (before !== null && before.pools === pools && before.toBlock > head.number && head.number >= before.fromBlock) return before
    const kept = await usable(before, head, pools)
    if (kept?.toBlock === head.number) return kept
    const fromBlock = kept === null ? Math.max(0, head.number - MAX_SWAP_BLOCKS + 1) : kept.toBlock + 1
    const added = await chain.swaps(addresses, { fromBlock, toBlock: head.number })
    const all = [...(kept?.swaps ?? []), ...added]
    const swaps = all.slice(-MAX_SWAPS)
    const first = swaps[0]?.blockNumber
    const from = kept?.fromBlock ?? fromBlock
    return {
      pools,
      swaps,
      toBlock: head.number,
      toHash: head.hash,
      fromBlock: all.length > swaps.length && first !== undefined ? first + 1 : from,
    }
  }

  return {
    async upTo(head, pools) {
      const before = reading
      const next = before.catch(() => null).then((kept) => readOn(kept, head, pools))
      reading = next.catch(() => before)
      const { fromBlock, swaps } = await next
      return { fromBlock, swaps: swaps.filter(({ blockNumber }) => blockNumber <= head.number) }
    },
  }
}
