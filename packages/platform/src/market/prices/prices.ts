/** Prices from a chain's feeds, of pairs by symbol and of tokens by address. Pools are never used. */
import type { Address, Clock } from '@keelson/primitives'
import type { BlockMemo } from '../chain/block-memo.ts'
import type { BlockFacts } from '../chain/blocks.ts'
import type { ChainClient } from '../chain/chain-client.ts'
import type { ChainConfig } from '../chain/chain-config.ts'
import type { Decimal } from '../decimal.ts'
import { SourceError } from '../source-error.ts'
import { type FeedReading, readFeeds } from './feeds.ts'
import { findLegs, methodOf, type Pair, type PairMethod, priceThrough } from './pair-legs.ts'

export interface PairPrice extends Pair {
  readonly price: Decimal
  readonly method: PairMethod
  /** The readings used, in order. */
  readonly readings: readonly FeedReading[]
  readonly block: BlockFacts
}

/** The feeds' name for a symbol: resolves aliases in any case; unknown symbols stay. */
export function canonicalSymbol(config: ChainConfig, symbol: string): string {
  const wanted = symbol.toLowerCase()
  for (const [alias, meant] of Object.entries(config.symbols)) if (alias.toLowerCase() === wanted) return meant
  for (const { base, quote } of config.feeds) {
    if (base.toLowerCase() === wanted) return base
    if (quote.toLowerCase() === wanted) return quote
  }
  return symbol
}

/** Null when neither one feed nor two across the dollar price the pair. Throws SourceError for an unusable feed. */
export async function readPairPrice(
  client: ChainClient,
  asked: Pair,
  block: BlockFacts,
  clock: Clock,
  memo: BlockMemo,
): Promise<PairPrice | null> {
  const { config } = client
  const pair = { base: canonicalSymbol(config, asked.base), quote: canonicalSymbol(config, asked.quote) }
  const legs = findLegs(config.feeds, pair)
  if (legs === null) return null
  const feeds = legs.map(({ index }) => config.feeds[index] as (typeof config.feeds)[number])
  const readings = await readFeeds(client, feeds, block, clock, memo)
  const usable = readings.map((reading) => {
    if (reading instanceof SourceError) throw reading
    return reading
  })
  const prices = usable.map(({ price }) => price)
  return { ...asked, price: priceThrough(legs, prices), method: methodOf(legs), readings: usable, block }
}

/** US dollars per whole unit, or why there is no price now. */
export interface UsdPrices {
  readonly native: Decimal | null
  /** Null for tokens without a usable feed. */
  of(token: Address): Decimal | null
  /** Unusable feeds with their faults. */
  readonly failures: readonly SourceError[]
}

/** Reads all configured feeds at once. Throws SourceError when the chain does not respond. */
export async function readUsdPrices(client: ChainClient, block: BlockFacts, clock: Clock, memo: BlockMemo): Promise<UsdPrices> {
  const { feeds, tokens, nativePriceAs } = client.config
  const readings = await readFeeds(client, feeds, block, clock, memo)
  const priceAs = (base: string | null): Decimal | null => {
    const legs = base === null ? null : findLegs(feeds, { base, quote: 'USD' })
    if (legs === null) return null
    const prices: Decimal[] = []
    for (const { index } of legs) {
      const reading = readings[index]
      if (reading === undefined || reading instanceof SourceError) return null
      prices.push(reading.price)
    }
    return priceThrough(legs, prices)
  }
  const byToken = new Map(tokens.map((token) => [token.address, priceAs(token.priceAs)]))
  return {
    native: priceAs(nativePriceAs),
    of: (token) => byToken.get(token) ?? null,
    failures: readings.filter((reading) => reading instanceof SourceError),
  }
}
