/** A source of market data: an exchange's websocket, or the pools of the chain. */
import type { KlineInterval, MarketData, StreamKind } from '../../schemas/exchange.ts'
import type { ToolOutcome } from '../tool-outcome.ts'

export interface StreamKey {
  /** In upper case. */
  readonly symbol: string
  readonly kind: StreamKind
  /** For klines only. */
  readonly interval: KlineInterval | null
}

/** `BTCUSDT@trade`, `BTCUSDT@kline_1m`. */
export function streamName({ symbol, kind, interval }: StreamKey): string {
  return `${symbol}@${interval === null ? kind : `${kind}_${interval}`}`
}

export interface MarketFeedSink {
  data(stream: string, data: MarketData): void
  /** The source failed or recovered, for all its streams. */
  status(state: 'down' | 'up', why: string): void
}

export interface MarketFeed {
  /** Name for display. */
  readonly label: string
  /** Whether the source has the stream. Throws SourceError when it does not respond. */
  check(key: StreamKey): Promise<ToolOutcome<true>>
  /** Idempotent. */
  open(key: StreamKey): void
  close(key: StreamKey): void
  /** Sets the receiver of all data. */
  connect(sink: MarketFeedSink): void
  stop(): void
}
