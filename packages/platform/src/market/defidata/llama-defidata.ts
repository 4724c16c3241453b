/** DefiLlama's /v2/chains, /tvl/{protocol}, /prices/current/{coins} and /pools. */
import type { HttpClient } from '@keelson/runtime'
import { z } from 'zod'
import type { PoolRow } from '../../schemas/defidata.ts'
import { Decimal, formatUsd } from '../decimal.ts'
import { createJsonSource } from '../http/json-source.ts'
import { SourceError } from '../source-error.ts'
import { problem, succeeded } from '../tool-outcome.ts'
import type { DefidataSource } from './defidata.ts'

export const LlamaConfigSchema = z.strictObject({
  apiUrl: z.url({ protocol: /^https?$/ }).default('https://api.llama.fi'),
  coinsUrl: z.url({ protocol: /^https?$/ }).default('https://coins.llama.fi'),
  yieldsUrl: z.url({ protocol: /^https?$/ }).default('https://yields.llama.fi'),
  /** Coin ids by symbol, such as `coingecko:ethereum`. */
  coins: z.record(z.string(), z.string().max(100)).default({}),
})
export type LlamaConfig = z.output<typeof LlamaConfigSchema>

const Money = z.number().nonnegative()
const Chains = z.array(z.object({ name: z.string(), tvl: Money }))
const Time = z
  .int()
  .min(0)
  .max(253_402_300_799)
  .transform((sec) => new Date(sec * 1000).toISOString())
const Prices = z.object({
  coins: z.record(z.string(), z.object({ price: z.number().positive(), timestamp: Time.optional() })),
})
const Pools = z.object({
  data: z.array(
    z.object({
      pool: z.string(),
      chain: z.string(),
      project: z.string(),
      symbol: z.string(),
      tvlUsd: z.number(),
      apy: z.number().nullish(),
    }),
  ),
})
const MAX_POOLS_BYTES = 48 * 1024 * 1024

export function openLlama({ coins, apiUrl, coinsUrl, yieldsUrl }: LlamaConfig, http: HttpClient): DefidataSource {
  const open = (baseUrl: string, limits = {}) => createJsonSource({ name: 'DefiLlama', baseUrl, ...limits }, http)
  const yieldLimits = { timeoutMs: 20_000, maxResponseBytes: MAX_POOLS_BYTES }
  const sources = { api: open(apiUrl), coins: open(coinsUrl), yields: open(yieldsUrl, yieldLimits) }
  const bySymbol = new Map(Object.entries(coins).map(([symbol, id]) => [symbol.toLowerCase(), id]))
  return {
    knows: (chain) => chain !== undefined,

    async tvl({ chain, protocol }, signal) {
      const result = (name: string, tvl: number) =>
        succeeded({
          chain: name,
          protocol: protocol ?? null,
          tvl_usd: formatUsd(new Decimal(tvl)),
          complete: true,
          pools: [],
          as_of: null,
          source: sources.api.label,
        })
      if (protocol !== undefined) {
        if (chain !== undefined)
          return problem('invalid', 'tvl_get: this source knows the value of a protocol on all chains together: leave chain out')
        const tvl = await sources.api.get(['tvl', protocol.toLowerCase()], Money, { signal })
        return tvl === null ? problem('not-found', `${sources.api.label} knows no protocol ${protocol}`) : result('all', tvl)
      }
      const all = (await sources.api.get(['v2', 'chains'], Chains, { signal })) ?? []
      const found = all.find(({ name }) => name.toLowerCase() === chain?.toLowerCase())
      return found === undefined
        ? problem('not-found', `${sources.api.label} knows no chain ${chain ?? ''}`)
        : result(found.name, found.tvl)
    },

    async tokenPrice({ symbol, chain }, signal) {
      const id =
        chain !== undefined && /^0x[0-9a-fA-F]{40}$/.test(symbol) ? `${chain.toLowerCase()}:${symbol}` : bySymbol.get(symbol.toLowerCase())
      if (id === undefined) return problem('not-found', `no coin of ${sources.coins.label} is configured for ${symbol}`)
      const prices = await sources.coins.get(['prices', 'current', id], Prices, { signal })
      const coin = prices?.coins[id]
      if (coin === undefined) return problem('not-found', `${sources.coins.label} has no price of ${id}`)
      return succeeded({
        symbol,
        chain: chain ?? 'all',
        price_usd: new Decimal(coin.price).toFixed(),
        as_of: coin.timestamp ?? null,
        source: sources.coins.label,
      })
    },

    async pools({ chain, limit }, signal) {
      const answer = await sources.yields.get(['pools'], Pools, { signal })
      if (answer === null) throw new SourceError(sources.yields.label, 'bad-answer', 'it has no list of pools')
      const wanted = chain?.toLowerCase()
      const found = answer.data.filter((pool) => wanted === undefined || pool.chain.toLowerCase() === wanted)
      if (found.length === 0) return problem('not-found', `${sources.yields.label} knows no pools of ${chain ?? 'any chain'}`)
      const rows = found
        .sort((a, b) => b.tvlUsd - a.tvlUsd)
        .slice(0, limit)
        .map(
          ({ tvlUsd, apy, ...pool }): PoolRow => ({
            ...pool,
            tvl_usd: formatUsd(new Decimal(tvlUsd)),
            apy: apy == null ? null : new Decimal(apy).toFixed(),
            tokens: [],
          }),
        )
      return succeeded({ chain: rows[0]?.chain ?? '', pools: rows, source: sources.yields.label })
    },
  }
}
