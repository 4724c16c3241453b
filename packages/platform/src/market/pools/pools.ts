import { type Address, toAddress } from '@keelson/primitives'
import { parseAbi, zeroAddress } from 'viem'
import { setBounded } from '../chain/block-memo.ts'
import type { BlockFacts } from '../chain/blocks.ts'
import type { ChainClient } from '../chain/chain-client.ts'
import type { TokenCache, TokenFacts } from '../chain/tokens.ts'
import { type Decimal, unitsToDecimal } from '../decimal.ts'
import type { UsdPrices } from '../prices/prices.ts'

export interface PoolState {
  readonly address: Address
  readonly token0: TokenFacts
  readonly token1: TokenFacts
  readonly reserve0: bigint
  readonly reserve1: bigint
  readonly feeBps: number
}

export interface PoolSide {
  readonly token: TokenFacts
  readonly reserve: bigint
  readonly usd: Decimal | null
}

const FACTORY = parseAbi(['function getPair(address, address) view returns (address)'])
const PAIR = parseAbi(['function getReserves() view returns (uint112 reserve0, uint112 reserve1, uint32 blockTimestampLast)'])
const MAX_PAIRS = 4_096

export function sidesOf({ token0, token1, reserve0, reserve1 }: PoolState, prices: UsdPrices): readonly PoolSide[] {
  const side = (token: TokenFacts, reserve: bigint): PoolSide => {
    const price = prices.of(token.address)
    return { token, reserve, usd: price === null ? null : unitsToDecimal(reserve, token.decimals).mul(price) }
  }
  return [side(token0, reserve0), side(token1, reserve1)]
}

export class PoolCache {
  readonly #client: ChainClient
  readonly #tokens: TokenCache
  readonly #found = new Map<string, Address>()

  constructor(client: ChainClient, tokens: TokenCache) {
    this.#client = client
    this.#tokens = tokens
  }

  /** Empty without an exchange. Throws SourceError. */
  async pools(block: BlockFacts, more: readonly Address[] = []): Promise<readonly PoolState[]> {
    const { exchange, tokens } = this.#client.config
    if (exchange === null) return []
    const addresses = [...new Set([...tokens.map(({ address }) => address), ...more])]
    const facts = (await this.#tokens.facts(addresses, block.number)).filter((token) => token !== null)
    // as in the factory, token0 is the lower address
    const sorted = facts.sort((a, b) => (a.address < b.address ? -1 : 1))
    const pairs = sorted.flatMap((token0, i) => sorted.slice(i + 1).map((token1) => ({ token0, token1 })))
    const keyOf = ({ token0, token1 }: Pick<PoolState, 'token0' | 'token1'>) => `${token0.address}/${token1.address}`

    const missing = pairs.filter((pair) => !this.#found.has(keyOf(pair)))
    const lookup = { address: exchange.factory, abi: FACTORY, functionName: 'getPair' }
    const lookups = missing.map(({ token0, token1 }) => ({ ...lookup, args: [token0.address, token1.address] }))
    const answers = await this.#client.readMany(lookups, block.number)
    missing.forEach((pair, i) => {
      const address = answers[i]
      if (typeof address === 'string' && address !== zeroAddress) setBounded(this.#found, keyOf(pair), toAddress(address), MAX_PAIRS)
    })

    const pools = pairs.flatMap((pair) => {
      const address = this.#found.get(keyOf(pair))
      return address === undefined ? [] : [{ address, ...pair }]
    })
    const reads = pools.map(({ address }) => ({ address, abi: PAIR, functionName: 'getReserves' }))
    const reserves = await this.#client.readMany(reads, block.number)
    return pools.flatMap((pool, i) => {
      const both = reserves[i]
      if (!Array.isArray(both)) return []
      const [reserve0, reserve1] = both as unknown as readonly [bigint, bigint]
      return [{ ...pool, reserve0, reserve1, feeBps: exchange.feeBps }]
    })
  }
}
