/** Prices on a chain, from its feeds alone: of pairs by symbol, of tokens by address. A pool's price is never one of these. */
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
  /** What it was reckoned from, in order. */
  readonly readings: readonly FeedReading[]
  readonly block: BlockFacts
}

/** A symbol as feeds name it: aliases of the configuration, letters of either case. Unknown symbols stay as they are. */
export function canonicalSymbol(config: ChainConfig, symbol: string): string {
  const wanted = symbol.toLowerCase()
  for (const [alias, meant] of Object.entries(config.symbols)) if (alias.toLowerCase() === wanted) return meant
  for (const { base, quote } of config.feeds) {
    if (base.toLowerCase() === wanted) return base
    if (quote.toLowerCase() === wanted) return quote
  }
  return symbol
}

/** Null when no feed, nor two across the dollar, have the pair. Throws SourceError when one on the way cannot be used. */
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

/** Dollars a whole unit, or why there is no such price now. */
export interface UsdPrices {
  readonly native: Decimal | null
  /** Null for tokens without a feed, and for those whose feed cannot be used. */
  of(token: Address): Decimal | null
  /** Feeds that cannot be used, with the reason: what makes a null of what should have a price. */
  readonly failures: readonly SourceError[]
}

/** All of the configured ones at once. Throws SourceError when the chain cannot be asked. */
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
