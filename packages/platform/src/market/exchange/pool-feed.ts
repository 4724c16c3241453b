/** Trades are the chain's Swap events. A market symbol is two token names without a separator. */
import { type Clock, type Logger, messageOf } from '@keelson/primitives'
import { createPoller, type Poller } from '@keelson/runtime'
import type { BlockFacts } from '../chain/blocks.ts'
import type { ChainReader } from '../chain/chain-reader.ts'
import { unitsToDecimal } from '../decimal.ts'
import type { PoolState } from '../pools/pools.ts'
import { MAX_SWAP_BLOCKS, type SwapEvent } from '../pools/swaps.ts'
import { SourceError } from '../source-error.ts'
import { problem, succeeded, type ToolOutcome } from '../tool-outcome.ts'
import { Candles, type CandleTrade, intervalSec } from './candles.ts'
import { type MarketFeed, type MarketFeedSink, type StreamKey, streamName } from './market-feed.ts'

interface Market {
  readonly pool: PoolState
  readonly forward: boolean
}

interface OpenStream extends Market {
  readonly key: StreamKey
  readonly name: string
  readonly candles: Candles | null
  begun: boolean
}

interface PoolTrade extends CandleTrade {
  readonly side: 'buy' | 'sell'
}

const POLL_MS = 1_000
const PRICE_DIGITS = 18

export class PoolFeed implements MarketFeed {
  readonly #chain: ChainReader
  readonly #open = new Map<string, OpenStream>()
  readonly #markets = new Map<string, Market>()
  readonly #poller: Poller
  #sink: MarketFeedSink | null = null
  #polling = false
  #readUpTo: number | null = null
  #down = false
  #turn: Promise<void> = Promise.resolve()

  constructor(chain: ChainReader, { clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#chain = chain
    this.#poller = createPoller(() => this.#poll(), {
      clock,
      intervalMs: POLL_MS,
      onError: (error) => {
        if (!(error instanceof SourceError)) log.error('reading market data from pools failed', { error: String(error) })
        if (!this.#down) this.#sink?.status('down', messageOf(error))
        this.#down = true
      },
    })
  }

  get label(): string {
    return this.#chain.label
  }

  async check({ symbol, interval }: StreamKey): Promise<ToolOutcome<true>> {
    if (interval !== null && intervalSec(interval) === null)
      return problem('invalid', `interval: pools have candles of 1s to 1d, not ${interval}`)
    const market = this.#markets.get(symbol) ?? findMarket(this.#chain, await this.#chain.pools(), symbol)
    if (market === null)
      return problem('not-found', `no pool of ${this.#chain.config.name} trades ${symbol}: expected two tokens' symbols in a row`)
    this.#markets.set(symbol, market)
    return succeeded(true)
  }

  connect(sink: MarketFeedSink): void {
    this.#sink = sink
  }

  open(key: StreamKey): void {
    const name = streamName(key)
    const market = this.#markets.get(key.symbol)
    if (market === undefined || this.#open.has(name)) return
    const lengthSec = key.interval && intervalSec(key.interval)
    const candles = key.interval && lengthSec ? new Candles(key.symbol, key.interval, lengthSec) : null
    this.#open.set(name, { ...market, key, name, candles, begun: candles === null })
    if (!this.#polling) this.#poller.start()
    this.#polling = true
  }

  close(key: StreamKey): void {
    this.#open.delete(streamName(key))
    if (this.#open.size === 0) this.#readUpTo = null
  }

  stop(): void {
    this.#open.clear()
    void this.#poller.stop()
  }

  /** Serialized, so that no block is read twice. */
  step(): Promise<void> {
    this.#turn = this.#turn.catch(() => undefined).then(() => this.#read())
    return this.#turn
  }

  async #poll(): Promise<void> {
    await this.step()
    if (this.#down) this.#sink?.status('up', `${this.label} answers again`)
    this.#down = false
  }

  async #read(): Promise<void> {
    const streams = [...this.#open.values()]
    if (streams.length === 0) return
    const head = await this.#chain.latest()
    // swaps in blocks before the first step are not emitted; after a reorg, reading continues after the new head
    const from = Math.max(Math.min(this.#readUpTo ?? head.number, head.number) + 1, head.number - MAX_SWAP_BLOCKS + 1, 0)
    const pools = [...new Set(streams.map(({ pool }) => pool.address))]
    const swaps = await this.#chain.swaps(pools, { fromBlock: from, toBlock: head.number })
    for (const stream of streams) if (!stream.begun) await this.#begin(stream, head, from - 1)
    this.#readUpTo = head.number
    for (const swap of swaps) {
      for (const stream of streams) if (stream.pool.address === swap.pool && this.#open.has(stream.name)) this.#emit(stream, swap)
    }
    for (const { name, candles } of streams) for (const kline of candles?.advance(head.timestampSec) ?? []) this.#sink?.data(name, kline)
  }

  async #begin(stream: OpenStream, head: BlockFacts, toBlock: number): Promise<void> {
    const lengthSec = stream.key.interval && intervalSec(stream.key.interval)
    if (stream.candles !== null && lengthSec) {
      const startSec = head.timestampSec - (head.timestampSec % lengthSec)
      // enough blocks, because they are at least a second apart
      const fromBlock = Math.max(0, head.number - Math.min(head.timestampSec - startSec, MAX_SWAP_BLOCKS - 1))
      for (const swap of await this.#chain.swaps([stream.pool.address], { fromBlock, toBlock })) {
        const trade = swap.timestampSec < startSec ? null : tradeOf(stream, swap)
        if (trade !== null) stream.candles.add(trade)
      }
    }
    stream.begun = true
  }

  #emit({ key: { kind, symbol }, name, candles, ...market }: OpenStream, swap: SwapEvent): void {
    const trade = tradeOf(market, swap)
    if (trade === null) return
    for (const kline of candles?.add(trade) ?? []) this.#sink?.data(name, kline)
    if (kind === 'kline') return
    this.#sink?.data(name, {
      kind,
      symbol,
      side: trade.side,
      transaction_hash: swap.transactionHash,
      trade_id: `${swap.blockNumber}-${swap.logIndex}`,
      price: trade.price.toSignificantDigits(PRICE_DIGITS).toFixed(),
      quantity: trade.quantity.toFixed(),
      time: new Date(trade.timeSec * 1000).toISOString(),
    })
  }
}

function findMarket({ config: { wrappedNative, native } }: ChainReader, pools: readonly PoolState[], symbol: string): Market | null {
  const names = ({ address, symbol: name }: PoolState['token0']) => (address === wrappedNative ? [name, native.symbol] : [name])
  for (const pool of pools) {
    for (const forward of [true, false]) {
      const [base, quote] = forward ? [pool.token0, pool.token1] : [pool.token1, pool.token0]
      if (names(base).some((a) => names(quote).some((b) => `${a}${b}`.toUpperCase() === symbol))) return { pool, forward }
    }
  }
  return null
}

/** Null for events that are no trade, such as flash loans. */
function tradeOf({ pool, forward }: Market, swap: SwapEvent): PoolTrade | null {
  const sides = [
    { net: swap.in0 - swap.out0, decimals: pool.token0.decimals },
    { net: swap.in1 - swap.out1, decimals: pool.token1.decimals },
  ] as const
  const [base, quote] = forward ? sides : [sides[1], sides[0]]
  if (base.net === 0n || quote.net === 0n || base.net > 0n === quote.net > 0n) return null
  const [quantity, quoteQuantity] = [base, quote].map(({ net, decimals }) => unitsToDecimal(net, decimals).abs()) as [
    CandleTrade['quantity'],
    CandleTrade['quantity'],
  ]
  const side = base.net > 0n ? 'sell' : 'buy'
  return { timeSec: swap.timestampSec, price: quoteQuantity.div(quantity), quantity, quoteQuantity, side }
}
