/** Hermes: GET /v2/updates/price/latest. */
import type { Clock } from '@keelson/primitives'
import { z } from 'zod'
import { Decimal } from '../decimal.ts'
import type { JsonSource } from '../http/json-source.ts'
import { findLegs, methodOf, type Pair, type PairMethod, priceThrough } from '../prices/pair-legs.ts'
import { SourceError } from '../source-error.ts'

const symbol = z.string().regex(/^[A-Za-z0-9.+_-]{1,16}$/)
export const PythConfigSchema = z.strictObject({
  baseUrl: z.url({ protocol: /^https?$/ }),
  maxAgeSec: z.int().positive().default(60),
  /** Maximum confidence interval, on either side of the price. */
  maxConfidenceBps: z.int().positive().default(100),
  feeds: z
    .array(z.strictObject({ id: z.string().regex(/^(0x)?[0-9a-f]{64}$/), base: symbol, quote: symbol }))
    .min(1)
    .max(64),
})
export type PythConfig = z.output<typeof PythConfigSchema>

export interface PythReading extends Pair {
  readonly id: string
  readonly price: Decimal
  readonly confidence: Decimal
  readonly updatedAtSec: number
  readonly ageSec: number
}

export interface PythPrice {
  readonly price: Decimal
  readonly method: PairMethod
  readonly readings: readonly PythReading[]
}

export type Pyth = ReturnType<typeof createPyth>

const Integer = z.string().regex(/^-?\d{1,30}$/)
const Latest = z.object({
  parsed: z
    .array(
      z.object({
        id: z.string(),
        price: z.object({ price: Integer, conf: Integer, expo: z.int().min(-30).max(30), publish_time: z.int().min(0) }),
      }),
    )
    .max(64),
})

export function createPyth(config: Omit<PythConfig, 'baseUrl'>, hermes: JsonSource, clock: Clock) {
  const { feeds } = config

  function judge(feed: (typeof feeds)[number], { parsed }: z.infer<typeof Latest>): PythReading {
    const id = bare(feed.id)
    const refuse = (reason: 'bad-answer' | 'stale', why: string) =>
      new SourceError(hermes.label, reason, `${feed.base}/${feed.quote} ${why}`)
    const found = parsed.find((entry) => bare(entry.id) === id)?.price
    if (found === undefined) throw refuse('bad-answer', `(feed ${id}) is missing in its answer`)
    const scale = new Decimal(10).pow(found.expo)
    const [price, confidence] = [scale.mul(found.price), scale.mul(found.conf)]
    if (price.lte(0)) throw refuse('bad-answer', `is stated as ${price}, expected a price above zero`)
    if (confidence.lt(0) || confidence.mul(10_000).gt(price.mul(config.maxConfidenceBps))) {
      const most = `at most ${config.maxConfidenceBps} basis points of ${price}`
      throw refuse('bad-answer', `is only known to within ${confidence}, expected ${most}`)
    }
    const ageSec = Math.max(0, Math.floor(clock.nowMs() / 1000) - found.publish_time)
    if (ageSec > config.maxAgeSec) throw refuse('stale', `was published ${ageSec} s ago, expected at most ${config.maxAgeSec} s`)
    return { base: feed.base, quote: feed.quote, id, price, confidence, updatedAtSec: found.publish_time, ageSec }
  }

  return {
    async price(pair: Pair, signal?: AbortSignal): Promise<PythPrice | null> {
      const symbols = feeds.flatMap(({ base, quote }) => [base, quote])
      const canonical = (text: string) => symbols.find((known) => known.toLowerCase() === text.toLowerCase()) ?? text
      const legs = findLegs(feeds, { base: canonical(pair.base), quote: canonical(pair.quote) })
      if (legs === null) return null
      const wanted = legs.map(({ index }) => feeds[index] as (typeof feeds)[number])
      const query = [...wanted.map(({ id }) => ['ids[]', bare(id)] as const), ['parsed', 'true'] as const]
      const latest = await hermes.get(['v2', 'updates', 'price', 'latest'], Latest, { query, signal })
      if (latest === null) throw new SourceError(hermes.label, 'bad-answer', 'it does not know the configured feeds')
      const readings = wanted.map((feed) => judge(feed, latest))
      const prices = readings.map(({ price }) => price)
      return { price: priceThrough(legs, prices), method: methodOf(legs), readings }
    },
  }
}

function bare(id: string): string {
  return id.toLowerCase().replace(/^0x/, '')
}
