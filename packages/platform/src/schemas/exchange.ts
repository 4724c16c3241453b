import { z } from 'zod'
import { EXAMPLES } from './examples.ts'
import { optional } from './fields/optional.ts'

export const STREAM_KINDS = ['trade', 'kline', 'aggTrade'] as const
export type StreamKind = (typeof STREAM_KINDS)[number]
export const KLINE_INTERVALS = ['1s', '1m', '3m', '5m', '15m', '30m', '1h', '2h', '4h', '6h', '8h', '12h', '1d', '3d', '1w', '1M'] as const
/** Generated clients could not distinguish 1m and 1M. */
const UNITS: Readonly<Record<string, string>> = { s: 'SECONDS', m: 'MINUTES', h: 'HOURS', d: 'DAYS', w: 'WEEKS', M: 'MONTHS' }
const INTERVAL_NAMES = KLINE_INTERVALS.map((interval) => `${UNITS[interval.slice(-1)]}_${parseInt(interval, 10)}`)
export const KlineInterval = z.enum(KLINE_INTERVALS).meta({ 'x-enum-varnames': INTERVAL_NAMES })
export type KlineInterval = z.infer<typeof KlineInterval>

export const SubscribeRequest = z
  .object({
    symbol: z
      .string()
      .regex(/^[A-Za-z0-9]{2,32}$/, 'Value should be 2 to 32 letters and digits')
      .meta({ example: 'WETHTESTUSD' }),
    market: optional(z.enum(['spot'])).describe('Default: spot'),
    streams: z.array(z.enum(STREAM_KINDS)).min(1).max(STREAM_KINDS.length).describe('Kinds of events'),
    interval: optional(KlineInterval).describe('Interval of klines. Default: 1m'),
  })
  .meta({ id: 'SubscribeRequest', example: EXAMPLES.subscribe })
export type SubscribeRequest = z.infer<typeof SubscribeRequest>

export const SubscribeResponse = z
  .object({ subscription_id: z.string(), status: z.literal('subscribed'), streams: z.array(z.string()) })
  .meta({ id: 'SubscribeResponse' })
export type SubscribeResponse = z.infer<typeof SubscribeResponse>

export const UnsubscribeRequest = z
  .object({ subscription_id: z.string().min(1).max(64).describe('subscription_id from subscribe') })
  .meta({ id: 'UnsubscribeRequest', example: EXAMPLES.unsubscribe })
export type UnsubscribeRequest = z.infer<typeof UnsubscribeRequest>

export const UnsubscribeResponse = z
  .object({ subscription_id: z.string(), status: z.literal('unsubscribed') })
  .meta({ id: 'UnsubscribeResponse' })
export type UnsubscribeResponse = z.infer<typeof UnsubscribeResponse>

export const MarketTrade = z
  .object({
    kind: z.enum(['trade', 'aggTrade']),
    symbol: z.string(),
    trade_id: z.string(),
    price: z.string(),
    quantity: z.string(),
    side: z.enum(['buy', 'sell']).describe('Side of the taker'),
    time: z.iso.datetime(),
    transaction_hash: z.string().nullable().describe('Null for trades off-chain'),
  })
  .meta({ id: 'MarketTrade' })
export type MarketTrade = z.infer<typeof MarketTrade>

export const MarketKline = z
  .object({
    kind: z.literal('kline'),
    symbol: z.string(),
    interval: KlineInterval,
    open_time: z.iso.datetime(),
    close_time: z.iso.datetime(),
    open: z.string(),
    high: z.string(),
    low: z.string(),
    close: z.string(),
    volume: z.string(),
    quote_volume: z.string(),
    trades: z.int(),
    closed: z.boolean(),
  })
  .meta({ id: 'MarketKline' })
export type MarketKline = z.infer<typeof MarketKline>

export const MarketData = z.discriminatedUnion('kind', [MarketTrade, MarketKline]).meta({ id: 'MarketData' })
export type MarketData = z.infer<typeof MarketData>

export const MarketStreamEvent = z
  .union([
    z
      .object({ stream: z.string().meta({ description: 'Name from subscribe', example: 'WETHTESTUSD@trade' }), data: MarketData })
      .meta({ id: 'MarketStreamData', description: 'Data of the event `data`' }),
    z
      .object({ state: z.enum(['down', 'up']), why: z.string() })
      .meta({ id: 'MarketStreamStatus', description: 'Data of the event `status`: the source disconnected or reconnected' }),
    z
      .object({ lost: z.int().nullable().describe('Number of lost events; null when unknown') })
      .meta({ id: 'MarketStreamGap', description: 'Data of the event `gap`: events that are no longer available' }),
  ])
  .describe('Data of an event. Its id resumes the stream after it. Comments are heartbeats')
