/** Chainlink's AggregatorV3Interface. */
import type { Address, Clock } from '@keelson/primitives'
import { parseAbi } from 'viem'
import type { BlockMemo } from '../chain/block-memo.ts'
import type { BlockFacts } from '../chain/blocks.ts'
import type { ChainClient } from '../chain/chain-client.ts'
import type { ChainConfig, FeedConfig } from '../chain/chain-config.ts'
import { type Decimal, unitsToDecimal } from '../decimal.ts'
import { SourceError } from '../source-error.ts'
import { findLegs, methodOf, type Pair, type PairMethod, priceThrough } from './pair-legs.ts'

export interface FeedReading extends Pair {
  readonly address: Address
  readonly description: string
  readonly roundId: bigint
  readonly price: Decimal
  readonly updatedAtSec: number
  readonly ageSec: number
}

export interface PairPrice extends Pair {
  readonly price: Decimal
  readonly method: PairMethod
  readonly readings: readonly FeedReading[]
  readonly block: BlockFacts
}

/** US dollars per whole token; null without a usable feed. */
export interface UsdPrices {
  readonly native: Decimal | null
  of(token: Address): Decimal | null
  readonly failures: readonly SourceError[]
}

const FEED = parseAbi([
  'function decimals() view returns (uint8)',
  'function description() view returns (string)',
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
])
const FEED_FUNCTIONS = ['decimals', 'description', 'latestRoundData']

/** Resolves an alias; returns an unknown symbol unchanged. */
export function canonicalSymbol(config: ChainConfig, symbol: string): string {
  const wanted = symbol.toLowerCase()
  for (const [alias, meant] of Object.entries(config.symbols)) if (alias.toLowerCase() === wanted) return meant
  return config.feeds.flatMap(({ base, quote }) => [base, quote]).find((known) => known.toLowerCase() === wanted) ?? symbol
}

export class ChainPrices {
  readonly #client: ChainClient
  readonly #clock: Clock
  readonly #memo: BlockMemo

  constructor(client: ChainClient, clock: Clock, memo: BlockMemo) {
    this.#client = client
    this.#clock = clock
    this.#memo = memo
  }

  /** Uses the pair's feed, or two feeds in US dollars. Throws SourceError for an unusable feed. */
  async pair(asked: Pair, block: BlockFacts): Promise<PairPrice | null> {
    const { config } = this.#client
    const pair = { base: canonicalSymbol(config, asked.base), quote: canonicalSymbol(config, asked.quote) }
    const legs = findLegs(config.feeds, pair)
    if (legs === null) return null
    const feeds = legs.map(({ index }) => config.feeds[index] as FeedConfig)
    const readings = (await this.#read(feeds, block)).map((reading) => {
      if (reading instanceof SourceError) throw reading
      return reading
    })
    const prices = readings.map(({ price }) => price)
    return { ...asked, price: priceThrough(legs, prices), method: methodOf(legs), readings, block }
  }

  async usd(block: BlockFacts): Promise<UsdPrices> {
    const { feeds, tokens, nativePriceAs } = this.#client.config
    const readings = await this.#read(feeds, block)
    const priceAs = (base: string | null): Decimal | null => {
      const legs = base === null ? null : findLegs(feeds, { base, quote: 'USD' })
      const used = legs?.map(({ index }) => readings[index]).filter((reading) => reading !== undefined && !(reading instanceof SourceError))
      return legs === null || used?.length !== legs.length
        ? null
        : priceThrough(
            legs,
            (used as FeedReading[]).map(({ price }) => price),
          )
    }
    const byToken = new Map(tokens.map((token) => [token.address, priceAs(token.priceAs)]))
    return {
      native: priceAs(nativePriceAs),
      of: (token) => byToken.get(token) ?? null,
      failures: readings.filter((reading) => reading instanceof SourceError),
    }
  }

  /** The age is not memoized, because it depends on the clock. */
  async #read(feeds: readonly FeedConfig[], block: BlockFacts): Promise<readonly (FeedReading | SourceError)[]> {
    const reads = feeds.flatMap(({ address }) => FEED_FUNCTIONS.map((functionName) => ({ address, abi: FEED, functionName })))
    const key = `feeds ${feeds.map(({ address }) => address)}`
    const answers = await this.#memo.read(block, key, () => this.#client.readMany(reads, block.number))
    const nowSec = Math.max(block.timestampSec, Math.floor(this.#clock.nowMs() / 1000))
    return feeds.map((feed, i) => judge(this.#client.label, feed, answers.slice(3 * i, 3 * i + 3), block, nowSec))
  }
}

function judge(label: string, feed: FeedConfig, answers: readonly unknown[], block: BlockFacts, nowSec: number): FeedReading | SourceError {
  const [decimals, description, round] = answers
  const { address, base, quote, maxAgeSec } = feed
  const refuse = (reason: 'bad-answer' | 'stale', why: string) =>
    new SourceError(label, reason, `feed ${base}/${quote} at ${address} ${why}`)
  if (typeof decimals !== 'number' || !Array.isArray(round)) return refuse('bad-answer', 'does not answer as a price feed')
  const [roundId, answer, , updatedAt] = round as unknown as readonly [bigint, bigint, bigint, bigint]
  if (answer <= 0n) return refuse('bad-answer', `states ${answer}, expected a price above zero`)
  if (updatedAt === 0n) return refuse('bad-answer', `has an unfinished round ${roundId}`)
  if (updatedAt > BigInt(block.timestampSec)) return refuse('bad-answer', `states a time after block ${block.number}`)
  const updatedAtSec = Number(updatedAt)
  const ageSec = nowSec - updatedAtSec
  if (ageSec > maxAgeSec) return refuse('stale', `was updated ${ageSec} s ago, expected at most ${maxAgeSec} s`)
  const shown = typeof description === 'string' ? description.slice(0, 64) : ''
  return { address, base, quote, description: shown, roundId, price: unitsToDecimal(answer, decimals), updatedAtSec, ageSec }
}
