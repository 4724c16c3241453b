/** Market data from a websocket compatible with Binance's combined streams. It reconnects and subscribes again. */
import type { Clock, Random } from '@keelson/primitives'
import { createSocketClient, type SocketClient } from '@keelson/runtime'
import { z } from 'zod'
import { KlineInterval, type MarketData } from '../../schemas/exchange.ts'
import { succeeded } from '../tool-outcome.ts'
import { type MarketFeed, type MarketFeedSink, type StreamKey, streamName } from './market-feed.ts'

export interface BinanceFeedOptions {
  /** For example wss://stream.binance.com:9443/stream */
  readonly url: string
}

const MAX_MESSAGE_BYTES = 256 * 1024
/** Maximum streams in one message. */
const AT_ONCE = 100

const Money = z.string().regex(/^\d{1,40}(\.\d{1,40})?$/)
const TimeMs = z.int().min(0).max(253_402_300_799_999)
const Trade = z.object({ e: z.literal('trade'), s: z.string(), t: z.int(), p: Money, q: Money, T: TimeMs, m: z.boolean() })
const AggTrade = z.object({ e: z.literal('aggTrade'), s: z.string(), a: z.int(), p: Money, q: Money, T: TimeMs, m: z.boolean() })
const Kline = z.object({
  e: z.literal('kline'),
  s: z.string(),
  k: z.object({
    t: TimeMs,
    T: TimeMs,
    i: KlineInterval,
    ...{ o: Money, h: Money, l: Money, c: Money, v: Money, q: Money },
    n: z.int().min(0),
    x: z.boolean(),
  }),
})
const Message = z.object({ stream: z.string().max(64), data: z.discriminatedUnion('e', [Trade, AggTrade, Kline]) })
const Refusal = z.object({ error: z.object({ msg: z.string() }) })

export function createBinanceFeed(options: BinanceFeedOptions, world: { readonly clock: Clock; readonly random: Random }): MarketFeed {
  const label = `exchange (${new URL(options.url).host})`
  /** By the exchange's stream name. */
  const open = new Map<string, StreamKey>()
  let sink: MarketFeedSink | null = null
  let socket: SocketClient | null = null
  let down = false
  let nextId = 1

  function ask(method: 'SUBSCRIBE' | 'UNSUBSCRIBE', streams: readonly string[]): void {
    for (let from = 0; from < streams.length; from += AT_ONCE) {
      socket?.send(JSON.stringify({ method, params: streams.slice(from, from + AT_ONCE), id: nextId++ }))
    }
  }

  function connect(): SocketClient {
    return createSocketClient({ url: options.url, maxMessageBytes: MAX_MESSAGE_BYTES }, world, {
      onOpen() {
        ask('SUBSCRIBE', [...open.keys()])
        if (down) sink?.status('up', `${label} is back`)
        down = false
      },
      onMessage(text) {
        const json = parseJson(text)
        const message = Message.safeParse(json)
        if (message.success) {
          const key = open.get(message.data.stream)
          if (key !== undefined) sink?.data(streamName(key), marketData(message.data.data))
          return
        }
        const refusal = Refusal.safeParse(json)
        if (refusal.success) sink?.status('down', `${label} refused: ${refusal.data.error.msg.slice(0, 200)}`)
      },
      onDown(reason) {
        if (!down) sink?.status('down', `${label}: ${reason}`)
        down = true
      },
    })
  }

  return {
    label,
    // the exchange ignores unknown symbols: their streams stay silent
    check: async () => succeeded(true),
    connect(to) {
      sink = to
    },
    open(key) {
      const name = upstreamName(key)
      if (open.has(name)) return
      open.set(name, key)
      // while connecting, onOpen subscribes to all
      if (socket?.open) ask('SUBSCRIBE', [name])
      socket ??= connect()
    },
    close(key) {
      const name = upstreamName(key)
      if (!open.delete(name)) return
      ask('UNSUBSCRIBE', [name])
      if (open.size > 0) return
      socket?.close()
      socket = null
      down = false
    },
    stop() {
      open.clear()
      socket?.close()
      socket = null
    },
  }
}

function upstreamName(key: StreamKey): string {
  return streamName({ ...key, symbol: key.symbol.toLowerCase() })
}

function marketData(data: z.infer<typeof Message>['data']): MarketData {
  const time = (ms: number) => new Date(ms).toISOString()
  if (data.e === 'kline') {
    const { k } = data
    return {
      kind: 'kline',
      symbol: data.s,
      interval: k.i,
      open_time: time(k.t),
      close_time: time(k.T),
      ...{ open: k.o, high: k.h, low: k.l, close: k.c, volume: k.v, quote_volume: k.q, trades: k.n },
      closed: k.x,
    }
  }
  return {
    kind: data.e,
    symbol: data.s,
    trade_id: String(data.e === 'trade' ? data.t : data.a),
    price: data.p,
    quantity: data.q,
    side: data.m ? 'sell' : 'buy',
    time: time(data.T),
    transaction_hash: null,
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
