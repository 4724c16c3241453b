/** DeFi data from the chain itself: its pools, valued by feeds. */
import { isHex, toAddress } from '@keelson/primitives'
import type { PoolRow } from '../../schemas/defidata.ts'
import type { ChainReader } from '../chain/chain-reader.ts'
import { type Chains, shownChains, unknownChain } from '../chain/chains.ts'
import { Decimal, formatAmount, formatUsd, unitsToDecimal } from '../decimal.ts'
import type { PoolState } from '../pools/pools.ts'
import type { UsdPrices } from '../prices/prices.ts'
import { problem, succeeded } from '../tool-outcome.ts'
import type { DefidataSource } from './defidata-source.ts'

interface ValuedPool {
  readonly row: PoolRow
  readonly usd: Decimal | null
}

export function createChainDefidata(chains: Pick<Chains, 'main' | 'find' | 'all'>): DefidataSource {
  const find = (name: string | undefined): ChainReader | null => (name === undefined ? chains.main : chains.find(name))
  const unknown = (name: string | undefined) => problem('not-found', unknownChain(name ?? '', shownChains(chains)))
  return {
    knows: (name) => find(name) !== null,

    async tvl({ chain: name, protocol }) {
      const chain = find(name)
      if (chain === null) return unknown(name)
      const venue = chain.config.exchange?.venue ?? null
      if (protocol !== undefined && protocol.toLowerCase() !== venue)
        return problem('not-found', `${chain.config.name} has no protocol ${protocol} that is read here`)
      const { pools, asOf } = await readPools(chain)
      const priced = pools.flatMap(({ usd }) => (usd === null ? [] : [usd]))
      return succeeded({
        chain: chain.config.name,
        protocol: protocol === undefined ? null : venue,
        tvl_usd: formatUsd(priced.reduce((sum, usd) => sum.add(usd), new Decimal(0))),
        complete: priced.length === pools.length,
        pools: pools.map(({ row }) => row),
        as_of: asOf,
        source: chain.label,
      })
    },

    async tokenPrice({ symbol, chain: name }) {
      const chain = find(name)
      if (chain === null) return unknown(name)
      const none = problem('not-found', `no feed of ${chain.config.name} prices ${symbol}`)
      if (isHex(symbol.toLowerCase(), 20)) {
        const block = await chain.latest()
        const prices = await chain.usdPrices(block)
        const usd = prices.of(toAddress(symbol))
        if (usd === null) {
          // a configured price that is missing is an outage
          if (
            prices.failures[0] !== undefined &&
            chain.config.tokens.some(({ address, priceAs }) => address === toAddress(symbol) && priceAs !== null)
          )
            throw prices.failures[0]
          return none
        }
        return succeeded({
          symbol,
          chain: chain.config.name,
          price_usd: usd.toFixed(),
          as_of: isoTime(block.timestampSec),
          source: chain.label,
        })
      }
      const price = symbol.length > 16 ? null : await chain.price({ base: symbol, quote: 'USD' })
      if (price === null) return none
      const updatedAtSec = Math.min(...price.readings.map((reading) => reading.updatedAtSec))
      return succeeded({
        symbol,
        chain: chain.config.name,
        price_usd: price.price.toFixed(),
        as_of: isoTime(updatedAtSec),
        source: chain.label,
      })
    },

    async pools({ chain: name, limit }) {
      const chain = find(name)
      if (chain === null) return unknown(name)
      const { pools } = await readPools(chain)
      return succeeded({ chain: chain.config.name, pools: pools.slice(0, limit).map(({ row }) => row), source: chain.label })
    },
  }
}

/** Most valuable first; pools without a value last. */
async function readPools(chain: ChainReader): Promise<{ readonly pools: readonly ValuedPool[]; readonly asOf: string }> {
  const block = await chain.latest()
  const [states, prices] = await Promise.all([chain.pools(block), chain.usdPrices(block)])
  const pools = states.map((pool) => valued(chain, pool, prices))
  pools.sort((a, b) => (b.usd ?? new Decimal(-1)).cmp(a.usd ?? new Decimal(-1)))
  return { pools, asOf: isoTime(block.timestampSec) }
}

function valued({ config }: ChainReader, pool: PoolState, prices: UsdPrices): ValuedPool {
  const sides = [
    { token: pool.token0, reserve: pool.reserve0 },
    { token: pool.token1, reserve: pool.reserve1 },
  ].map(({ token, reserve }) => {
    const price = prices.of(token.address)
    const usd = price === null ? null : unitsToDecimal(reserve, token.decimals).mul(price)
    return { usd, token, reserve }
  })
  const [one, other] = sides.map(({ usd }) => usd)
  const usd = !one || !other ? null : one.add(other)
  return {
    usd,
    row: {
      pool: pool.address,
      project: config.exchange?.venue ?? '',
      chain: config.name,
      symbol: `${pool.token0.symbol}-${pool.token1.symbol}`,
      tvl_usd: usd === null ? null : formatUsd(usd),
      apy: null,
      tokens: sides.map(({ token, reserve, usd: worth }) => ({
        address: token.address,
        symbol: token.symbol,
        amount: formatAmount(reserve, token.decimals),
        usd: worth === null ? null : formatUsd(worth),
      })),
    },
  }
}

function isoTime(sec: number): string {
  return new Date(sec * 1000).toISOString()
}
