import type { KlineInterval, MarketKline } from '../../schemas/exchange.ts'
import { Decimal } from '../decimal.ts'

const LENGTH_SEC: Partial<Record<KlineInterval, number>> = {
  '1s': 1,
  '1m': 60,
  '3m': 180,
  '5m': 300,
  '15m': 900,
  '30m': 1_800,
  '1h': 3_600,
  '2h': 7_200,
  '4h': 14_400,
  '6h': 21_600,
  '8h': 28_800,
  '12h': 43_200,
  '1d': 86_400,
}

export function intervalSec(interval: KlineInterval): number | null {
  return LENGTH_SEC[interval] ?? null
}

export interface CandleTrade {
  readonly timeSec: number
  readonly price: Decimal
  readonly quantity: Decimal
  readonly quoteQuantity: Decimal
}

interface Candle {
  readonly openSec: number
  readonly open: Decimal
  readonly high: Decimal
  readonly low: Decimal
  readonly close: Decimal
  readonly volume: Decimal
  readonly quoteVolume: Decimal
  readonly trades: number
}

const DIGITS = 18
const ZERO = new Decimal(0)

export class Candles {
  readonly #symbol: string
  readonly #interval: KlineInterval
  readonly #lengthSec: number
  #open: Candle | null = null

  constructor(symbol: string, interval: KlineInterval, lengthSec: number) {
    this.#symbol = symbol
    this.#interval = interval
    this.#lengthSec = lengthSec
  }

  get current(): MarketKline | null {
    return this.#open === null ? null : this.#shown(this.#open, false)
  }

  /** Takes trades in order of time. Returns the ended candle, if any, and the open one. */
  add({ timeSec, price, quantity, quoteQuantity }: CandleTrade): readonly MarketKline[] {
    const ended = this.advance(timeSec)
    const before = this.#open ?? this.#begin(timeSec, price)
    this.#open = {
      ...before,
      high: Decimal.max(before.high, price),
      low: Decimal.min(before.low, price),
      close: price,
      volume: before.volume.add(quantity),
      quoteVolume: before.quoteVolume.add(quoteQuantity),
      trades: before.trades + 1,
    }
    return [...ended, this.#shown(this.#open, false)]
  }

  /** Intervals without a trade have no candle. */
  advance(timeSec: number): readonly MarketKline[] {
    const ended = this.#open
    if (ended === null || timeSec < ended.openSec + this.#lengthSec) return []
    this.#open = this.#begin(timeSec, ended.close)
    return [this.#shown(ended, true)]
  }

  #begin(timeSec: number, price: Decimal): Candle {
    const openSec = timeSec - (timeSec % this.#lengthSec)
    return { openSec, open: price, high: price, low: price, close: price, volume: ZERO, quoteVolume: ZERO, trades: 0 }
  }

  #shown(candle: Candle, closed: boolean): MarketKline {
    const text = (value: Decimal) => value.toSignificantDigits(DIGITS).toFixed()
    const { openSec, open, high, low, close, volume, quoteVolume, trades } = candle
    return {
      kind: 'kline',
      symbol: this.#symbol,
      interval: this.#interval,
      trades,
      closed,
      open_time: new Date(openSec * 1000).toISOString(),
      close_time: new Date((openSec + this.#lengthSec) * 1000 - 1).toISOString(),
      open: text(open),
      high: text(high),
      low: text(low),
      close: text(close),
      volume: text(volume),
      quote_volume: text(quoteVolume),
    }
  }
}
