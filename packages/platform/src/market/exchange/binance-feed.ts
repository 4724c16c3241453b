import type { Clock, Random } from '@keelson/primitives'
import { createSocketClient, type SocketClient } from '@keelson/runtime'
import { z } from 'zod'
import { KlineInterval, type MarketData } from '../../schemas/exchange.ts'
import { succeeded, type ToolOutcome } from '../tool-outcome.ts'
import { type MarketFeed, type MarketFeedSink, type StreamKey, streamName } from './market-feed.ts'

const MAX_MESSAGE_BYTES = 256 * 1024
const AT_ONCE = 100

const Money = z.string().regex(/^\d{1,40}(\.\d{1,40})?$/)
const Time = z
  .int()
  .min(0)
  .max(253_402_300_799_999)
  .transform((ms) => new Date(ms).toISOString())
const trade = { s: z.string(), p: Money, q: Money, T: Time, m: z.boolean() }
const Kline = z.object({
  t: Time,
  T: Time,
  i: KlineInterval,
  n: z.int().min(0),
  x: z.boolean(),
  o: Money,
  h: Money,
  l: Money,
  c: Money,
  v: Money,
  q: Money,
})
const Data = z.discriminatedUnion('e', [
  z.object({ e: z.literal('trade'), t: z.int(), ...trade }),
  z.object({ e: z.literal('aggTrade'), a: z.int(), ...trade }),
  z.object({ e: z.literal('kline'), s: z.string(), k: Kline }),
])
const Message = z.object({ stream: z.string().max(64), data: Data })
const Refusal = z.object({ error: z.object({ msg: z.string() }) })

export class BinanceFeed implements MarketFeed {
  readonly label: string
  readonly #url: string
  readonly #world: { readonly clock: Clock; readonly random: Random }
  readonly #open = new Map<string, StreamKey>()
  #sink: MarketFeedSink | null = null
  #socket: SocketClient | null = null
  #down = false
  #nextId = 1

  constructor(url: string, world: { readonly clock: Clock; readonly random: Random }) {
    this.#url = url
    this.#world = world
    this.label = `exchange (${new URL(url).host})`
  }

  /** The exchange ignores unknown symbols. */
  async check(): Promise<ToolOutcome<true>> {
    return succeeded(true)
  }

  connect(sink: MarketFeedSink): void {
    this.#sink = sink
  }

  open(key: StreamKey): void {
    const name = upstreamName(key)
    if (this.#open.has(name)) return
    this.#open.set(name, key)
    // while connecting, onOpen subscribes to all
    if (this.#socket?.open) this.#ask('SUBSCRIBE', [name])
    this.#socket ??= createSocketClient({ url: this.#url, maxMessageBytes: MAX_MESSAGE_BYTES }, this.#world, {
      onOpen: () => this.#onOpen(),
      onMessage: (text) => this.#onMessage(text),
      onDown: (reason) => this.#onDown(reason),
    })
  }

  close(key: StreamKey): void {
    const name = upstreamName(key)
    if (!this.#open.delete(name)) return
    this.#ask('UNSUBSCRIBE', [name])
    if (this.#open.size === 0) this.stop()
  }

  stop(): void {
    this.#open.clear()
    this.#socket?.close()
    this.#socket = null
    this.#down = false
  }

  #ask(method: 'SUBSCRIBE' | 'UNSUBSCRIBE', streams: readonly string[]): void {
    for (let from = 0; from < streams.length; from += AT_ONCE)
      this.#socket?.send(JSON.stringify({ method, params: streams.slice(from, from + AT_ONCE), id: this.#nextId++ }))
  }

  #onOpen(): void {
    this.#ask('SUBSCRIBE', [...this.#open.keys()])
    if (this.#down) this.#sink?.status('up', `${this.label} is back`)
    this.#down = false
  }

  #onDown(reason: string): void {
    if (!this.#down) this.#sink?.status('down', `${this.label}: ${reason}`)
    this.#down = true
  }

  #onMessage(text: string): void {
    const json = parseJson(text)
    const message = Message.safeParse(json)
    const refusal = Refusal.safeParse(json)
    const key = message.success ? this.#open.get(message.data.stream) : undefined
    if (message.success && key !== undefined) this.#sink?.data(streamName(key), marketData(message.data.data))
    if (refusal.success) this.#sink?.status('down', `${this.label} refused: ${refusal.data.error.msg.slice(0, 200)}`)
  }
}

function upstreamName(key: StreamKey): string {
  return streamName({ ...key, symbol: key.symbol.toLowerCase() })
}

function marketData(data: z.infer<typeof Data>): MarketData {
  if (data.e === 'kline') {
    const { k } = data
    return {
      kind: 'kline',
      symbol: data.s,
      interval: k.i,
      open_time: k.t,
      close_time: k.T,
      closed: k.x,
      open: k.o,
      high: k.h,
      low: k.l,
      close: k.c,
      volume: k.v,
      quote_volume: k.q,
      trades: k.n,
    }
  }
  return {
    kind: data.e,
    symbol: data.s,
    trade_id: String(data.e === 'trade' ? data.t : data.a),
    transaction_hash: null,
    price: data.p,
    quantity: data.q,
    side: data.m ? 'sell' : 'buy',
    time: data.T,
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
