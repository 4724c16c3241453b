import type { Address } from '@keelson/primitives'
import type { ChainReader } from '../market/chain/chain-reader.ts'
import { isNative, NATIVE_ADDRESS } from '../market/chain/native-address.ts'
import { Decimal } from '../market/decimal.ts'
import { type PoolState, sidesOf } from '../market/pools/pools.ts'
import type { UsdPrices } from '../market/prices/prices.ts'
import { DEFAULT_FLOW_OPTIONS, FlowReader } from './chain-flows.ts'
import type { TokenFacts, TradingMarket } from './ports.ts'

const RECENT_BLOCKS = 100

export function createChainMarket(chains: readonly ChainReader[], flowOptions = DEFAULT_FLOW_OPTIONS): TradingMarket {
  const at = (chainId: number): ChainReader | null => chains.find(({ config }) => config.id === chainId) ?? null
  const flows = new FlowReader(flowOptions)
  return {
    chainIds: chains.map(({ config }) => config.id),
    token: async (chainId, address) => (await at(chainId)?.token(address)) ?? null,
    async price(chainId, token) {
      const chain = at(chainId)
      if (chain === null) return null
      const prices = await chain.usdPrices()
      const usd = token === NATIVE_ADDRESS ? prices.native : prices.of(token)
      return usd === null ? null : { usd, source: chain.label }
    },
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
      const found = await chain.quote({ tokenIn, tokenOut, amountIn: 10n ** BigInt(one.decimals) })
      if (found === null) return null
      const unitsPerUnit = found.hops.reduce(
        (price, { reserveIn, reserveOut }) => price.mul(reserveOut.toString()).div(reserveIn.toString()),
        new Decimal(1),
      )
      return unitsPerUnit.mul(new Decimal(10).pow(one.decimals - other.decimals))
    },
    async facts(chainId, token) {
      const chain = at(chainId)
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
    async largestFlow(chainId, token) {
      const chain = at(chainId)
      return chain === null ? null : flows.largest(chain, token)
    },
    async gas(chainId) {
      const fees = (await at(chainId)?.baseFees(RECENT_BLOCKS)) ?? []
      const now = fees.at(-1)
      return now === undefined || fees.length < 2 ? null : { baseFeeWei: now, medianBaseFeeWei: median(fees.slice(0, -1)) }
    },
  }
}

function isListed({ config }: ChainReader, token: Address): boolean {
  return isNative(token) || config.tokens.some(({ address }) => address === token)
}

/** A pool's owner can set its price, so only tokens with a feed are valued. */
function deepestUsd(token: Address | null, pools: readonly PoolState[], prices: UsdPrices): Decimal | null {
  const values = pools
    .filter(({ token0, token1 }) => token0.address === token || token1.address === token)
    .map((pool) => sidesOf(pool, prices).flatMap(({ usd }) => usd ?? []))
    .filter((sides) => sides.length > 0)
    .map((sides) => Decimal.sum(...sides))
  return values.length === 0 ? null : Decimal.max(...values)
}

function median(values: readonly bigint[]): bigint {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const at = (index: number) => sorted[Math.floor(index)] as bigint
  return (at((sorted.length - 1) / 2) + at(sorted.length / 2)) / 2n
}
