/** Where market data comes from: an exchange's websocket, or the pools of the chain. */
import type { KlineInterval, MarketData, StreamKind } from '../../schemas/exchange.ts'
import type { ToolOutcome } from '../tool-outcome.ts'

export interface StreamKey {
  /** Upper case. */
  readonly symbol: string
  readonly kind: StreamKind
  /** Of klines only. */
  readonly interval: KlineInterval | null
}

/** `BTCUSDT@trade`, `BTCUSDT@kline_1m`. */
export function streamName({ symbol, kind, interval }: StreamKey): string {
  return `${symbol}@${interval === null ? kind : `${kind}_${interval}`}`
}

export interface MarketFeedSink {
  data(stream: string, data: MarketData): void
  /** The source broke off or is back, for all its streams. */
  status(state: 'down' | 'up', why: string): void
}

export interface MarketFeed {
  /** For people: who is asked. */
  readonly label: string
  /** Whether it has such a stream. Throws SourceError when it cannot say. */
  check(key: StreamKey): Promise<ToolOutcome<true>>
  /** Idempotent. */
  open(key: StreamKey): void
  close(key: StreamKey): void
  /** Tells everything to this one from now on. */
  connect(sink: MarketFeedSink): void
  stop(): void
}
