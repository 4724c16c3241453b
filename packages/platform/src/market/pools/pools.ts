/** Finds Uniswap V2 pools between configured tokens and reads their reserves at a block. */
import type { Address } from '@keelson/primitives'
import { toAddress } from '@keelson/primitives'
import { parseAbi, zeroAddress } from 'viem'
import type { BlockFacts } from '../chain/blocks.ts'
import type { ChainClient } from '../chain/chain-client.ts'
import type { TokenCache, TokenFacts } from '../chain/tokens.ts'

export interface PoolState {
  readonly address: Address
  readonly token0: TokenFacts
  readonly token1: TokenFacts
  readonly reserve0: bigint
  readonly reserve1: bigint
  readonly feeBps: number
}

export interface PoolCache {
  /** Pools among configured tokens and `more`; empty without an exchange. Throws SourceError. */
  pools(block: BlockFacts, more?: readonly Address[]): Promise<readonly PoolState[]>
}

const FACTORY = parseAbi(['function getPair(address, address) view returns (address)'])
const PAIR = parseAbi(['function getReserves() view returns (uint112 reserve0, uint112 reserve1, uint32 blockTimestampLast)'])
const MAX_PAIRS = 4_096

export function createPoolCache(client: ChainClient, tokens: TokenCache): PoolCache {
  const { config } = client
  const found = new Map<string, Address>()

  /** Addresses of pools are cached; missing pools are looked up again. */
  async function find(pairs: readonly (readonly [Address, Address])[], block: BlockFacts, factory: Address): Promise<void> {
    const missing = pairs.filter(([a, b]) => !found.has(`${a}/${b}`))
    const reads = missing.map((args) => ({ address: factory, abi: FACTORY, functionName: 'getPair', args }))
    const answers = await client.readMany(reads, block.number)
    missing.forEach(([a, b], i) => {
      const pair = answers[i]
      if (typeof pair === 'string' && pair !== zeroAddress) found.set(`${a}/${b}`, toAddress(pair))
    })
    while (found.size > MAX_PAIRS) found.delete(found.keys().next().value as string)
  }

  return {
    async pools(block, more = []) {
      const { exchange } = config
      if (exchange === null) return []
      const addresses = [...new Set([...config.tokens.map(({ address }) => address), ...more])]
      const facts = (await tokens.facts(addresses, block.number)).filter((token) => token !== null)
      const pairs = sortedPairs(facts)
      await find(
        pairs.map(([a, b]) => [a.address, b.address]),
        block,
        exchange.factory,
      )
      const there = pairs.flatMap(([token0, token1]) => {
        const address = found.get(`${token0.address}/${token1.address}`)
        return address === undefined ? [] : [{ address, token0, token1 }]
      })
      const reads = there.map(({ address }) => ({ address, abi: PAIR, functionName: 'getReserves' }))
      const answers = await client.readMany(reads, block.number)
      return there.flatMap((pool, i) => {
        const reserves = answers[i]
        if (!Array.isArray(reserves)) return []
        const [reserve0, reserve1] = reserves as unknown as readonly [bigint, bigint]
        return [{ ...pool, reserve0, reserve1, feeBps: exchange.feeBps }]
      })
    },
  }
}

/** The factory's order: lower address first. */
function sortedPairs(tokens: readonly TokenFacts[]): readonly (readonly [TokenFacts, TokenFacts])[] {
  const sorted = [...tokens].sort((a, b) => (a.address < b.address ? -1 : 1))
  return sorted.flatMap((a, i) => sorted.slice(i + 1).map((b) => [a, b] as const))
}
