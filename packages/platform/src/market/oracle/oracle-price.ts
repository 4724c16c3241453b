import type { OraclePrice, OracleReading } from '../../schemas/oracle.ts'
import type { ChainReader } from '../chain/chain-reader.ts'
import { parsePair } from '../prices/pair-legs.ts'
import { problem, succeeded, type ToolOutcome } from '../tool-outcome.ts'
import type { Pyth } from './pyth.ts'

const DIGITS = 30

/**
 * Uses the chain's feeds, or Pyth without a feed, but never pools. Throws SourceError for an unusable feed, rather than silently
 * replace it.
 */
export async function oraclePrice(
  chain: ChainReader,
  text: string,
  pyth: Pyth | null,
  signal?: AbortSignal,
): Promise<ToolOutcome<OraclePrice>> {
  const pair = parsePair(text)
  if (pair === null) return problem('invalid', `pair: expected BASE/QUOTE, such as ETH/USD, got ${text}`)
  if (pair.base.toLowerCase() === pair.quote.toLowerCase()) return problem('invalid', `pair: ${text} names one thing twice`)
  const { name, id } = chain.config
  const ofFeeds = await chain.price(pair)
  const found = ofFeeds ?? (await pyth?.price(pair, signal)) ?? null
  if (found === null) return problem('not-found', `no feed of ${name}${pyth === null ? '' : ', nor Pyth,'} has the pair ${text}`)
  const source = ofFeeds === null ? 'pyth' : 'chainlink'
  const readings = found.readings.map(
    (reading): OracleReading => ({
      source,
      id: 'id' in reading ? reading.id : reading.address,
      description: 'id' in reading ? `${reading.base}/${reading.quote}` : reading.description,
      base: reading.base,
      quote: reading.quote,
      price: reading.price.toFixed(),
      confidence: 'id' in reading ? reading.confidence.toFixed() : null,
      round_id: 'id' in reading ? null : reading.roundId.toString(),
      updated_at: new Date(reading.updatedAtSec * 1000).toISOString(),
      age_seconds: reading.ageSec,
    }),
  )
  const oldest = readings.reduce((old, reading) => (reading.age_seconds > old.age_seconds ? reading : old))
  return succeeded({
    chain: name,
    chain_id: id,
    pair: `${pair.base}/${pair.quote}`,
    ...pair,
    source,
    price: found.price.toSignificantDigits(DIGITS).toFixed(),
    method: found.method,
    updated_at: oldest.updated_at,
    age_seconds: oldest.age_seconds,
    block_number: ofFeeds?.block.number ?? null,
    readings,
  })
}
