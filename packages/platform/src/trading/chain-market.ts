/** The market that trading looks at, as the configured chains show it: their tokens, feeds, pools, swaps and base fees. */
import type { ChainReader } from '../market/chain/chain-reader.ts'
import type { Chains } from '../market/chain/chains.ts'
import { NATIVE_ADDRESS } from '../market/chain/native-address.ts'
import { Decimal } from '../market/decimal.ts'
import type { DexQuoter, PriceSource, TokenCatalog } from './ports.ts'

export interface ChainMarket {
  readonly chainIds: readonly number[]
  readonly tokens: TokenCatalog
  readonly prices: PriceSource
  readonly dex: DexQuoter
}

export function createChainMarket(chains: Chains): ChainMarket {
  const at = (chainId: number): ChainReader | null => chains.byId(chainId)
  return {
    chainIds: chains.all.map(({ config }) => config.id),
    tokens: { token: async (chainId, address) => (await at(chainId)?.token(address)) ?? null },
    prices: {
      async price(chainId, token) {
        const chain = at(chainId)
        if (chain === null) return null
        const prices = await chain.usdPrices()
        // what pools trade the coin as is worth the coin
        const usd = token === NATIVE_ADDRESS ? prices.native : prices.of(token)
        return usd === null ? null : { usd, source: chain.label }
      },
    },
    dex: {
      async bestRoute(chainId, tokenIn, tokenOut, amountIn) {
        const chain = at(chainId)
        const router = chain?.config.exchange?.router
        const found = (await chain?.quote({ tokenIn, tokenOut, amountIn })) ?? null
        if (found === null || router === undefined) return null
        const { venue, path, amountOut, priceImpactBps, poolFeesBps } = found
        return { venue, router, path, amountOut, priceImpactBps, swapFeeBps: poolFeesBps }
      },
      async spotPrice(chainId, tokenIn, tokenOut) {
        const chain = at(chainId)
        const one = (await chain?.token(tokenIn)) ?? null
        const other = (await chain?.token(tokenOut)) ?? null
        if (chain === null || one === null || other === null) return null
        // the way that a whole token would go, at the reserves before it
        const found = await chain.quote({ tokenIn, tokenOut, amountIn: 10n ** BigInt(one.decimals) })
        if (found === null) return null
        const unitsPerUnit = found.hops.reduce(
          (price, { reserveIn, reserveOut }) => price.mul(reserveOut.toString()).div(reserveIn.toString()),
          new Decimal(1),
        )
        return unitsPerUnit.mul(new Decimal(10).pow(one.decimals - other.decimals))
      },
    },
  }
}
