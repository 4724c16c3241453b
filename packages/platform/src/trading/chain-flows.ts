/** Accounts are senders of transactions, because swaps name only routers and pools. */
import type { Address, Hash } from '@keelson/primitives'
import { setBounded } from '../market/chain/block-memo.ts'
import type { BlockFacts } from '../market/chain/blocks.ts'
import type { ChainReader } from '../market/chain/chain-reader.ts'
import { BPS } from '../market/pools/amm.ts'
import type { PoolState } from '../market/pools/pools.ts'
import type { SwapEvent } from '../market/pools/swaps.ts'
import type { LargestFlow } from './ports.ts'

export interface FlowOptions {
  readonly windowBlocks: number
  readonly maxTransactions: number
}

export const DEFAULT_FLOW_OPTIONS: FlowOptions = { windowBlocks: 300, maxTransactions: 500 }

const MAX_SENDERS = 4_096

export class FlowReader {
  readonly #options: FlowOptions
  readonly #senders = new Map<Hash, Address>()

  constructor(options: FlowOptions) {
    this.#options = options
  }

  /** Throws SourceError. */
  async largest(chain: ChainReader, token: Address): Promise<LargestFlow | null> {
    const inPools = chain.poolToken(token)
    if (inPools === null) return null
    const block = await chain.latest()
    const { windowBlocks, maxTransactions } = this.#options
    return chain.ofBlock(block, `flows ${windowBlocks}/${maxTransactions} ${inPools}`, () => this.#read(chain, inPools, block))
  }

  async #read(chain: ChainReader, token: Address, block: BlockFacts): Promise<LargestFlow | null> {
    const all = await chain.pools(block, [token])
    const pools = all.filter(({ token0, token1 }) => token0.address === token || token1.address === token)
    const held = pools.reduce((sum, pool) => sum + (pool.token0.address === token ? pool.reserve0 : pool.reserve1), 0n)
    if (held === 0n) return null
    const { swaps, fromSec } = await this.#recentSwaps(chain, pools, block)
    const senders = await this.#sendersOf(chain, [...new Set(swaps.map(({ transactionHash }) => transactionHash))])
    const largest = largestMove(swaps, pools, token, senders)
    return { shareBps: Number((largest * BPS + held - 1n) / held), windowSec: block.timestampSec - fromSec }
  }

  async #recentSwaps(chain: ChainReader, pools: readonly PoolState[], { number: toBlock, timestampSec }: BlockFacts) {
    const fromBlock = Math.max(0, toBlock - this.#options.windowBlocks + 1)
    const addresses = pools.map(({ address }) => address)
    const [first, swaps] = await Promise.all([chain.block(fromBlock), chain.swaps(addresses, { fromBlock, toBlock })])
    const hashes = [...new Set(swaps.map(({ transactionHash }) => transactionHash))]
    const newest = new Set(hashes.slice(-this.#options.maxTransactions))
    const kept = swaps.filter(({ transactionHash }) => newest.has(transactionHash))
    const fromSec = kept.length < swaps.length ? kept[0]?.timestampSec : first?.timestampSec
    return { swaps: kept, fromSec: fromSec ?? timestampSec }
  }

  async #sendersOf(chain: ChainReader, hashes: readonly Hash[]): Promise<ReadonlyMap<Hash, Address>> {
    const known = hashes.flatMap((hash) => (this.#senders.has(hash) ? [[hash, this.#senders.get(hash) as Address] as const] : []))
    const missing = hashes.filter((hash) => !this.#senders.has(hash))
    const found = await chain.senders(missing)
    const read = missing.flatMap((hash, i) => (found[i] ? [[hash, found[i]] as const] : []))
    for (const [hash, sender] of read) setBounded(this.#senders, hash, sender, MAX_SENDERS)
    return new Map([...known, ...read])
  }
}

function largestMove(
  swaps: readonly SwapEvent[],
  pools: readonly PoolState[],
  token: Address,
  senders: ReadonlyMap<Hash, Address>,
): bigint {
  const isFirst = new Map(pools.map(({ address, token0 }) => [address, token0.address === token]))
  const moves = new Map<string, readonly [into: bigint, outOf: bigint]>()
  for (const { pool, transactionHash, in0, in1, out0, out1 } of swaps) {
    // A transaction removed by a reorg counts as its own account.
    const account = senders.get(transactionHash) ?? transactionHash
    const [into, outOf] = moves.get(account) ?? [0n, 0n]
    moves.set(account, isFirst.get(pool) === true ? [into + in0, outOf + out0] : [into + in1, outOf + out1])
  }
  return [...moves.values()].flat().reduce((most, move) => (move > most ? move : most), 0n)
}
