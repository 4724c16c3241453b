/** Market data from the chain's own pools: each Swap event is a trade. A symbol is two token names in a row. */
import type { Clock, Logger } from '@keelson/primitives'
import type { MarketTrade } from '../../schemas/exchange.ts'
import type { BlockFacts } from '../chain/blocks.ts'
import type { ChainReader } from '../chain/chain-reader.ts'
import { type Decimal, unitsToDecimal } from '../decimal.ts'
import type { PoolState } from '../pools/pools.ts'
import { MAX_SWAP_BLOCKS, type SwapEvent } from '../pools/swaps.ts'
import { SourceError } from '../source-error.ts'
import { problem, succeeded } from '../tool-outcome.ts'
import { type Candles, type CandleTrade, createCandles, intervalSec } from './candles.ts'
import { type MarketFeed, type MarketFeedSink, type StreamKey, streamName } from './market-feed.ts'

export interface PoolFeed extends MarketFeed {
  /** Reads the blocks since the last step and emits their trades. */
  step(): Promise<void>
}

interface Market {
  readonly pool: PoolState
  /** The base is the pool's token0. */
  readonly forward: boolean
}

interface OpenStream extends Market {
  readonly key: StreamKey
  readonly candles: Candles | null
  /** Whether the trades of the current interval were loaded. */
  begun: boolean
}

const POLL_MS = 1_000
const PRICE_DIGITS = 18

export function createPoolFeed(chain: ChainReader, { clock, log }: { readonly clock: Clock; readonly log: Logger }): PoolFeed {
  const open = new Map<string, OpenStream>()
  const markets = new Map<string, Market>()
  const stopping = new AbortController()
  let sink: MarketFeedSink | null = null
  let polling = false
  let readUpTo: number | null = null
  let down = false
  let turn: Promise<void> = Promise.resolve()

  /** The token's name, and the native currency's for the wrapped one. */
  async function findMarket(symbol: string): Promise<Market | null> {
    const { wrappedNative, native } = chain.config
    const names = ({ address, symbol: name }: PoolState['token0']) => (address === wrappedNative ? [name, native.symbol] : [name])
    for (const pool of await chain.pools()) {
      for (const forward of [true, false]) {
        const [base, quote] = forward ? [pool.token0, pool.token1] : [pool.token1, pool.token0]
        const fits = names(base).some((a) => names(quote).some((b) => `${a}${b}`.toUpperCase() === symbol))
        if (fits) return { pool, forward }
      }
    }
    return null
  }

  function tell({ key, candles, ...market }: OpenStream, swap: SwapEvent): void {
    const trade = tradeOf(market, swap)
    if (trade === null) return
    const name = streamName(key)
    if (candles !== null) {
      for (const kline of candles.add(trade)) sink?.data(name, kline)
    } else if (key.kind !== 'kline') sink?.data(name, shownTrade(key.symbol, key.kind, trade, swap))
  }

  /** Serializes steps, so that no block is read twice. */
  function step(): Promise<void> {
    turn = turn.catch(() => undefined).then(readOn)
    return turn
  }

  async function readOn(): Promise<void> {
    const streams = [...open.values()]
    if (streams.length === 0) return
    const head = await chain.latest()
    // blocks before the first step are not emitted; after a reorganisation reading continues at the new head
    const from = Math.max(Math.min(readUpTo ?? head.number, head.number) + 1, head.number - MAX_SWAP_BLOCKS + 1, 0)
    const pools = [...new Set(streams.map(({ pool }) => pool.address))]
    const swaps = await chain.swaps(pools, { fromBlock: from, toBlock: head.number })
    for (const stream of streams) if (!stream.begun) await begin(stream, head, from - 1)
    readUpTo = head.number
    for (const swap of swaps) {
      for (const stream of streams) if (stream.pool.address === swap.pool && open.has(streamName(stream.key))) tell(stream, swap)
    }
    for (const { key, candles } of streams) {
      for (const kline of candles?.advance(head.timestampSec) ?? []) sink?.data(streamName(key), kline)
    }
  }

  /** Loads up to MAX_SWAP_BLOCKS blocks; a long candle misses earlier trades. */
  async function begin(stream: OpenStream, head: BlockFacts, toBlock: number): Promise<void> {
    const lengthSec = stream.key.interval === null ? null : intervalSec(stream.key.interval)
    if (stream.candles !== null && lengthSec !== null) {
      const startSec = head.timestampSec - (head.timestampSec % lengthSec)
      // a block takes at least a second
      const fromBlock = Math.max(0, head.number - Math.min(head.timestampSec - startSec, MAX_SWAP_BLOCKS - 1))
      for (const swap of await chain.swaps([stream.pool.address], { fromBlock, toBlock })) {
        const trade = swap.timestampSec < startSec ? null : tradeOf(stream, swap)
        if (trade !== null) stream.candles.add(trade)
      }
    }
    stream.begun = true
  }

  async function poll(): Promise<void> {
    while (!stopping.signal.aborted && open.size > 0) {
      try {
        await step()
        if (down) sink?.status('up', `${chain.label} answers again`)
        down = false
      } catch (error) {
        if (!(error instanceof SourceError)) log.error('reading market data from pools failed', { error: String(error) })
        if (!down) sink?.status('down', error instanceof Error ? error.message : String(error))
        down = true
      }
      await clock.sleep(POLL_MS, stopping.signal).catch(() => undefined)
    }
    polling = false
  }

  return {
    label: chain.label,
    async check({ symbol, interval }) {
      if (interval !== null && intervalSec(interval) === null)
        return problem('invalid', `interval: pools have candles of 1s to 1d, not ${interval}`)
      const market = markets.get(symbol) ?? (await findMarket(symbol))
      if (market === null)
        return problem('not-found', `no pool of ${chain.config.name} trades ${symbol}: expected two tokens' symbols in a row`)
      // bounded by the names of pool tokens
      markets.set(symbol, market)
      return succeeded(true)
    },
    connect(to) {
      sink = to
    },
    open(key) {
      const name = streamName(key)
      const market = markets.get(key.symbol)
      if (market === undefined || open.has(name)) return
      const lengthSec = key.interval === null ? null : intervalSec(key.interval)
      const candles = key.interval === null || lengthSec === null ? null : createCandles(key.symbol, key.interval, lengthSec)
      open.set(name, { ...market, key, candles, begun: candles === null })
      if (polling) return
      polling = true
      void poll()
    },
    close(key) {
      open.delete(streamName(key))
      // trades without a subscription are not emitted
      if (open.size === 0) readUpTo = null
    },
    step,
    stop() {
      open.clear()
      stopping.abort()
    },
  }
}

interface PoolTrade extends CandleTrade {
  readonly side: 'buy' | 'sell'
}

/** Null for events that are not a trade, such as flash loans in one token. */
function tradeOf({ pool, forward }: Market, swap: SwapEvent): PoolTrade | null {
  const [net0, net1] = [swap.in0 - swap.out0, swap.in1 - swap.out1]
  const [base, quote] = forward ? [net0, net1] : [net1, net0]
  if (base === 0n || quote === 0n || base > 0n === quote > 0n) return null
  const [baseToken, quoteToken] = forward ? [pool.token0, pool.token1] : [pool.token1, pool.token0]
  const whole = (amount: bigint, decimals: number): Decimal => unitsToDecimal(amount < 0n ? -amount : amount, decimals)
  const quantity = whole(base, baseToken.decimals)
  const quoteQuantity = whole(quote, quoteToken.decimals)
  // paying base into the pool is a sale
  return { timeSec: swap.timestampSec, price: quoteQuantity.div(quantity), quantity, quoteQuantity, side: base > 0n ? 'sell' : 'buy' }
}

function shownTrade(symbol: string, kind: 'trade' | 'aggTrade', trade: PoolTrade, swap: SwapEvent): MarketTrade {
  return {
    kind,
    symbol,
    trade_id: `${swap.blockNumber}-${swap.logIndex}`,
    price: trade.price.toSignificantDigits(PRICE_DIGITS).toFixed(),
    quantity: trade.quantity.toFixed(),
    side: trade.side,
    time: new Date(trade.timeSec * 1000).toISOString(),
    transaction_hash: swap.transactionHash,
  }
}
