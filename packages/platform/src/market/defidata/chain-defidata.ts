import { isHex, toAddress } from '@keelson/primitives'
import type { PoolRow, TokenPriceResult } from '../../schemas/defidata.ts'
import type { ChainReader } from '../chain/chain-reader.ts'
import { type Chains, onChain } from '../chain/chains.ts'
import { Decimal, formatAmount, formatUsd } from '../decimal.ts'
import { type PoolState, sidesOf } from '../pools/pools.ts'
import type { UsdPrices } from '../prices/prices.ts'
import { problem, succeeded, type ToolOutcome } from '../tool-outcome.ts'
import type { DefidataSource } from './defidata.ts'

interface ValuedPool {
  readonly row: PoolRow
  readonly usd: Decimal | null
}

export function createChainDefidata(chains: Pick<Chains, 'find'>): DefidataSource {
  return {
    knows: (name) => chains.find(name).ok,
    tvl: ({ chain: name, protocol }) =>
      onChain(chains, name, async (chain) => {
        const venue = chain.config.exchange?.venue ?? null
        if (protocol !== undefined && protocol.toLowerCase() !== venue)
          return problem('not-found', `${chain.config.name} has no protocol ${protocol} that is read here`)
        const { pools, asOf } = await readPools(chain)
        const priced = pools.flatMap(({ usd }) => usd ?? [])
        return succeeded({
          chain: chain.config.name,
          protocol: protocol === undefined ? null : venue,
          tvl_usd: formatUsd(priced.reduce((sum, usd) => sum.add(usd), new Decimal(0))),
          complete: priced.length === pools.length,
          pools: pools.map(({ row }) => row),
          as_of: asOf,
          source: chain.label,
        })
      }),
    tokenPrice: ({ symbol, chain: name }) => onChain(chains, name, (chain) => tokenPrice(chain, symbol)),
    pools: ({ chain: name, limit }) =>
      onChain(chains, name, async (chain) => {
        const { pools } = await readPools(chain)
        return succeeded({ chain: chain.config.name, pools: pools.slice(0, limit).map(({ row }) => row), source: chain.label })
      }),
  }
}

async function tokenPrice(chain: ChainReader, symbol: string): Promise<ToolOutcome<TokenPriceResult>> {
  const found = isHex(symbol.toLowerCase(), 20) ? await priceByAddress(chain, symbol) : await priceBySymbol(chain, symbol)
  const { name } = chain.config
  if (found === null) return problem('not-found', `no feed of ${name} prices ${symbol}`)
  return succeeded({ symbol, chain: name, price_usd: found.usd.toFixed(), as_of: isoTime(found.timeSec), source: chain.label })
}

/** Throws SourceError when the token's feed is unusable. */
async function priceByAddress(chain: ChainReader, token: string) {
  const block = await chain.latest()
  const { of, failures } = await chain.usdPrices(block)
  const usd = of(toAddress(token))
  if (usd !== null) return { usd, timeSec: block.timestampSec }
  const isPriced = chain.config.tokens.some(({ address, priceAs }) => address === toAddress(token) && priceAs !== null)
  if (isPriced && failures[0] !== undefined) throw failures[0]
  return null
}

async function priceBySymbol(chain: ChainReader, symbol: string) {
  const found = symbol.length > 16 ? null : await chain.price({ base: symbol, quote: 'USD' })
  return found === null ? null : { usd: found.price, timeSec: Math.min(...found.readings.map(({ updatedAtSec }) => updatedAtSec)) }
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
  const sides = sidesOf(pool, prices)
  const known = sides.flatMap(({ usd }) => usd ?? [])
  const usd = known.length < sides.length ? null : Decimal.sum(...known)
  return {
    usd,
    row: {
      pool: pool.address,
      project: config.exchange?.venue ?? '',
      chain: config.name,
      apy: null,
      symbol: `${pool.token0.symbol}-${pool.token1.symbol}`,
      tvl_usd: usd === null ? null : formatUsd(usd),
      tokens: sides.map(({ token: { address, symbol, decimals }, reserve, usd: worth }) => ({
        address,
        symbol,
        amount: formatAmount(reserve, decimals),
        usd: worth === null ? null : formatUsd(worth),
      })),
    },
  }
}

function isoTime(sec: number): string {
  return new Date(sec * 1000).toISOString()
}
