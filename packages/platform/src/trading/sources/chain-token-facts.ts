/** What the chain shows of a token: code, whether the operator lists it, and what lies in its deepest pool. */
import type { Address } from '@keelson/primitives'
import type { ChainReader } from '../../market/chain/chain-reader.ts'
import type { Chains } from '../../market/chain/chains.ts'
import { isNative } from '../../market/chain/native-address.ts'
import { Decimal, unitsToDecimal } from '../../market/decimal.ts'
import type { PoolState } from '../../market/pools/pools.ts'
import type { UsdPrices } from '../../market/prices/prices.ts'
import type { TokenFactSource, TokenFacts } from '../ports.ts'

/** Null for chains that are not configured. Throws SourceError. */
export function createChainTokenFacts(chains: Pick<Chains, 'byId'>): TokenFactSource {
  return {
    async facts(chainId, token) {
      const chain = chains.byId(chainId)
      if (chain === null) return null
      const block = await chain.latest()
      return chain.ofBlock(block, `facts ${token}`, async (): Promise<TokenFacts> => {
        const inPools = chain.poolToken(token)
        const [hasCode, pools, prices] = await Promise.all([
          isNative(token) ? false : chain.hasCode(token),
          inPools === null ? [] : chain.pools(block, [inPools]),
          chain.usdPrices(block),
        ])
        return { hasCode, listed: isListed(chain, token), liquidityUsd: deepestUsd(inPools, pools, prices) }
      })
    },
  }
}

function isListed({ config }: ChainReader, token: Address): boolean {
  return isNative(token) || config.tokens.some(({ address }) => address === token)
}

function deepestUsd(token: Address | null, pools: readonly PoolState[], prices: UsdPrices): Decimal | null {
  const values = pools
    .filter(({ token0, token1 }) => token0.address === token || token1.address === token)
    .flatMap((pool) => poolUsd(pool, prices) ?? [])
  return values.length === 0 ? null : Decimal.max(...values)
}

/** A side without a feed is worth nothing: its price in the pool is whatever its owner made it. Null when neither side has one. */
function poolUsd({ token0, token1, reserve0, reserve1 }: PoolState, prices: UsdPrices): Decimal | null {
  const sides = [
    { token: token0, reserve: reserve0 },
    { token: token1, reserve: reserve1 },
  ].flatMap(({ token, reserve }) => {
    const price = prices.of(token.address)
    return price === null ? [] : [unitsToDecimal(reserve, token.decimals).mul(price)]
  })
  return sides.length === 0 ? null : sides.reduce((sum, usd) => sum.plus(usd))
}
