import type { KlineInterval, MarketData, StreamKind } from '../../schemas/exchange.ts'
import type { ToolOutcome } from '../tool-outcome.ts'

export interface StreamKey {
  readonly symbol: string
  readonly kind: StreamKind
  readonly interval: KlineInterval | null
}

/** `BTCUSDT@trade`, `BTCUSDT@kline_1m`. */
export function streamName({ symbol, kind, interval }: StreamKey): string {
  return `${symbol}@${interval === null ? kind : `${kind}_${interval}`}`
}

export interface MarketFeedSink {
  data(stream: string, data: MarketData): void
  status(state: 'down' | 'up', why: string): void
}

export interface MarketFeed {
  readonly label: string
  /** Throws SourceError. */
  check(key: StreamKey): Promise<ToolOutcome<true>>
  open(key: StreamKey): void
  close(key: StreamKey): void
  connect(sink: MarketFeedSink): void
  stop(): void
}
