/** The price of a pair from the chain's feeds, else from Pyth if configured. Pools are never used. */

import type { OraclePrice, OraclePriceRequest, OracleReading } from '../../schemas/oracle.ts'
import type { ChainReader } from '../chain/chain-reader.ts'
import { type Chains, shownChains, unknownChain } from '../chain/chains.ts'
import { type Pair, parsePair } from '../prices/pair-legs.ts'
import type { PairPrice } from '../prices/prices.ts'
import { problem, succeeded, type ToolOutcome } from '../tool-outcome.ts'
import type { Pyth, PythPrice } from './pyth.ts'

export interface OracleSources {
  readonly chains: Pick<Chains, 'find' | 'all'>
  /** Null when none is configured. */
  readonly pyth: Pyth | null
}

/** Significant digits of a computed price. */
const DIGITS = 30

/** Throws SourceError when feeds of the pair are unusable; another source does not replace them silently. */
export async function oraclePrice(
  request: OraclePriceRequest,
  { chains, pyth }: OracleSources,
  signal?: AbortSignal,
): Promise<ToolOutcome<OraclePrice>> {
  const pair = parsePair(request.pair)
  if (pair === null) return problem('invalid', `pair: expected BASE/QUOTE, such as ETH/USD, got ${request.pair}`)
  if (pair.base.toLowerCase() === pair.quote.toLowerCase()) return problem('invalid', `pair: ${request.pair} names one thing twice`)
  const chain = chains.find(request.chain)
  if (chain === null) return problem('not-found', unknownChain(request.chain ?? '', shownChains(chains)))
  const ofFeeds = await chain.price(pair)
  if (ofFeeds !== null) return succeeded(fromFeeds(chain, ofFeeds))
  const ofPyth = (await pyth?.price(pair, signal)) ?? null
  if (ofPyth !== null) return succeeded(fromPyth(chain, pair, ofPyth))
  return problem('not-found', `no feed of ${chain.config.name}${pyth === null ? '' : ', nor Pyth,'} has the pair ${request.pair}`)
}

function fromFeeds(chain: ChainReader, price: PairPrice): OraclePrice {
  const readings = price.readings.map(
    (reading): OracleReading => ({
      source: 'chainlink',
      id: reading.address,
      description: reading.description,
      base: reading.base,
      quote: reading.quote,
      price: reading.price.toFixed(),
      confidence: null,
      round_id: reading.roundId.toString(),
      ...timeOf(reading),
    }),
  )
  return { ...whole(chain, price, price, readings), source: 'chainlink', block_number: price.block.number }
}

function fromPyth(chain: ChainReader, pair: Pair, price: PythPrice): OraclePrice {
  const readings = price.readings.map(
    (reading): OracleReading => ({
      source: 'pyth',
      id: reading.id,
      description: `${reading.base}/${reading.quote}`,
      base: reading.base,
      quote: reading.quote,
      price: reading.price.toFixed(),
      confidence: reading.confidence.toFixed(),
      round_id: null,
      ...timeOf(reading),
    }),
  )
  return { ...whole(chain, pair, price, readings), source: 'pyth', block_number: null }
}

function whole(
  { config }: ChainReader,
  { base, quote }: Pair,
  { price, method }: Pick<PairPrice, 'price' | 'method'>,
  readings: OracleReading[],
) {
  const oldest = readings.reduce((old, reading) => (reading.age_seconds > old.age_seconds ? reading : old))
  return {
    chain: config.name,
    chain_id: config.id,
    pair: `${base}/${quote}`,
    base,
    quote,
    price: price.toSignificantDigits(DIGITS).toFixed(),
    method,
    updated_at: oldest.updated_at,
    age_seconds: oldest.age_seconds,
    readings,
  }
}

function timeOf({ updatedAtSec, ageSec }: { readonly updatedAtSec: number; readonly ageSec: number }) {
  return { updated_at: new Date(updatedAtSec * 1000).toISOString(), age_seconds: ageSec }
}
