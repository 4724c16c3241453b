/**
 * Computes which share of the pools one account moved in recent blocks. The account is the sender of the transaction,
 * because the swaps themselves name routers and pools.
 */
import type { Address, Hash } from '@keelson/primitives'
import type { BlockFacts } from '../market/chain/blocks.ts'
import type { ChainReader } from '../market/chain/chain-reader.ts'
import type { PoolState } from '../market/pools/pools.ts'
import type { SwapEvent } from '../market/pools/swaps.ts'
import type { LargestFlow } from './ports.ts'

export interface FlowOptions {
  readonly windowBlocks: number
  /** With more transactions than this, the window covers only the newest. */
  readonly maxTransactions: number
}

export const DEFAULT_FLOW_OPTIONS: FlowOptions = { windowBlocks: 300, maxTransactions: 500 }

const MAX_SENDERS = 4_096
const BPS = 10_000n

/** Returns a reader with a cache of senders; it returns null where no pool has the token, and throws SourceError. */
export function readLargestFlow(options: FlowOptions): (chain: ChainReader, token: Address) => Promise<LargestFlow | null> {
  const senders = createSenderCache()
  return async (chain, token) => {
    const inPools = chain.poolToken(token)
    if (inPools === null) return null
    const block = await chain.latest()
    return chain.ofBlock(
      block,
      `flows ${options.windowBlocks}/${options.maxTransactions} ${inPools}`,
      async (): Promise<LargestFlow | null> => {
        const pools = (await chain.pools(block, [inPools])).filter(
          ({ token0, token1 }) => token0.address === inPools || token1.address === inPools,
        )
        const held = pools.reduce((sum, pool) => sum + (pool.token0.address === inPools ? pool.reserve0 : pool.reserve1), 0n)
        if (held === 0n) return null
        const { swaps, fromSec } = await recentSwaps(chain, pools, block, options)
        const who = await senders(chain, [...new Set(swaps.map(({ transactionHash }) => transactionHash))])
        const largest = largestMove(swaps, pools, inPools, who)
        // rounded up, so that a small share is not zero
        return { shareBps: Number((largest * BPS + held - 1n) / held), windowSec: block.timestampSec - fromSec }
      },
    )
  }
}

async function recentSwaps(
  chain: ChainReader,
  pools: readonly PoolState[],
  { number, timestampSec }: BlockFacts,
  { windowBlocks, maxTransactions }: FlowOptions,
): Promise<{ readonly swaps: readonly SwapEvent[]; readonly fromSec: number }> {
  const fromBlock = Math.max(0, number - windowBlocks + 1)
  const range = { fromBlock, toBlock: number }
  const [first, swaps] = await Promise.all([
    chain.block(fromBlock),
    chain.swaps(
      pools.map(({ address }) => address),
      range,
    ),
  ])
  const newest = new Set<Hash>()
  for (const { transactionHash } of [...swaps].reverse()) if (newest.size < maxTransactions) newest.add(transactionHash)
  const kept = swaps.filter(({ transactionHash }) => newest.has(transactionHash))
  const fromSec = kept.length < swaps.length ? kept[0]?.timestampSec : first?.timestampSec
  return { swaps: kept, fromSec: fromSec ?? timestampSec }
}

function largestMove(
  swaps: readonly SwapEvent[],
  pools: readonly PoolState[],
  token: Address,
  senderOf: ReadonlyMap<Hash, Address>,
): bigint {
  const isFirst = new Map(pools.map(({ address, token0 }) => [address, token0.address === token]))
  const moves = new Map<string, { into: bigint; outOf: bigint }>()
  for (const { pool, transactionHash, in0, in1, out0, out1 } of swaps) {
    // the sender of a removed transaction is unknown: it counts as an account of its own
    const account = senderOf.get(transactionHash) ?? transactionHash
    const move = moves.get(account) ?? { into: 0n, outOf: 0n }
    const [into, outOf] = isFirst.get(pool) === true ? [in0, out0] : [in1, out1]
    moves.set(account, { into: move.into + into, outOf: move.outOf + outOf })
  }
  return [...moves.values()].reduce((most, { into, outOf }) => {
    const larger = into > outOf ? into : outOf
    return larger > most ? larger : most
  }, 0n)
}

/** Caches senders by transaction hash, which determines them. */
function createSenderCache(): (chain: ChainReader, hashes: readonly Hash[]) => Promise<ReadonlyMap<Hash, Address>> {
  const kept = new Map<Hash, Address>()
  return async (chain, hashes) => {
    const missing = hashes.filter((hash) => !kept.has(hash))
    const found = await chain.senders(missing)
    const answer = new Map(hashes.flatMap((hash) => (kept.has(hash) ? [[hash, kept.get(hash) as Address] as const] : [])))
    missing.forEach((hash, i) => {
      const sender = found[i] ?? null
      if (sender === null) return
      answer.set(hash, sender)
      kept.set(hash, sender)
    })
    while (kept.size > MAX_SENDERS) kept.delete(kept.keys().next().value as Hash)
    return answer
  }
}
