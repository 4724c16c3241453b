/** Builds candles from trades; one is open at a time, and the chain's time closes it. */

import type { KlineInterval, MarketKline } from '../../schemas/exchange.ts'
import { Decimal } from '../decimal.ts'

/** Intervals of a fixed length, in seconds. */
const LENGTH_SEC: Partial<Record<KlineInterval, number>> = {
  ...{ '1s': 1, '1m': 60, '3m': 180, '5m': 300, '15m': 900, '30m': 1_800 },
  ...{ '1h': 3_600, '2h': 7_200, '4h': 14_400, '6h': 21_600, '8h': 28_800, '12h': 43_200, '1d': 86_400 },
}

/** Null for intervals that follow the calendar or do not divide a day. */
export function intervalSec(interval: KlineInterval): number | null {
  return LENGTH_SEC[interval] ?? null
}

export interface CandleTrade {
  readonly timeSec: number
  readonly price: Decimal
  readonly quantity: Decimal
  readonly quoteQuantity: Decimal
}

export interface Candles {
  /** Null before the first trade. Trades must be in order of time. */
  readonly current: MarketKline | null
  add(trade: CandleTrade): readonly MarketKline[]
  /** Advances the time and returns the candle that ended. Intervals without a trade have no candle. */
  advance(timeSec: number): readonly MarketKline[]
}

interface Candle {
  readonly openSec: number
  readonly open: Decimal
  high: Decimal
  low: Decimal
  close: Decimal
  volume: Decimal
  quoteVolume: Decimal
  trades: number
}

const DIGITS = 18

export function createCandles(symbol: string, interval: KlineInterval, lengthSec: number): Candles {
  let candle: Candle | null = null
  const zero = new Decimal(0)
  const begin = (timeSec: number, price: Decimal): Candle => ({
    openSec: timeSec - (timeSec % lengthSec),
    ...{ open: price, high: price, low: price, close: price, volume: zero, quoteVolume: zero, trades: 0 },
  })
  const shown = (of: Candle, closed: boolean): MarketKline => {
    const text = (value: Decimal) => value.toSignificantDigits(DIGITS).toFixed()
    return {
      kind: 'kline',
      symbol,
      interval,
      open_time: new Date(of.openSec * 1000).toISOString(),
      close_time: new Date((of.openSec + lengthSec) * 1000 - 1).toISOString(),
      open: text(of.open),
      high: text(of.high),
      low: text(of.low),
      close: text(of.close),
      volume: text(of.volume),
      quote_volume: text(of.quoteVolume),
      trades: of.trades,
      closed,
    }
  }
  function advance(timeSec: number): MarketKline[] {
    if (candle === null || timeSec < candle.openSec + lengthSec) return []
    const ended = shown(candle, true)
    candle = begin(timeSec, candle.close)
    return [ended]
  }
  return {
    get current() {
      return candle === null ? null : shown(candle, false)
    },
    advance,
    add({ timeSec, price, quantity, quoteQuantity }) {
      const ended = advance(timeSec)
      candle ??= begin(timeSec, price)
      candle.high = Decimal.max(candle.high, price)
      candle.low = Decimal.min(candle.low, price)
      candle.close = price
      candle.volume = candle.volume.add(quantity)
      candle.quoteVolume = candle.quoteVolume.add(quoteQuantity)
      candle.trades++
      return [...ended, shown(candle, false)]
    },
  }
}
