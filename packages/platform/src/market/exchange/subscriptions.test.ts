import assert from 'node:assert/strict'
import { createManualClock, createSeededRandom, createSilentLogger } from '@keelson/runtime'
import type { MarketTrade } from '../../schemas/exchange.ts'
import { Decimal } from '../decimal.ts'
import { problem, succeeded } from '../tool-outcome.ts'
import { Candles } from './candles.ts'
import { type MarketFeedSink, streamName } from './market-feed.ts'
import type { MarketEvent } from './session-events.ts'
import { type MarketLimits, MarketSubscriptions } from './subscriptions.ts'

const trade = (n: number): MarketTrade => ({
  kind: 'trade',
  symbol: 'ETHUSDT',
  trade_id: String(n),
  price: '2500',
  quantity: '1',
  side: 'buy',
  time: '2026-01-01T00:00:00.000Z',
  transaction_hash: null,
})

function world(options: Partial<MarketLimits> = {}, seed = 1) {
  const clock = createManualClock()
  const calls: string[] = []
  let sink: MarketFeedSink | undefined
  const feed = {
    label: 'test',
    check: async ({ symbol }: { symbol: string }) => (symbol === 'NONE' ? problem('not-found', 'none') : succeeded(true as const)),
    open: (key: Parameters<typeof streamName>[0]) => void calls.push(`+${streamName(key)}`),
    close: (key: Parameters<typeof streamName>[0]) => void calls.push(`-${streamName(key)}`),
    connect: (to: MarketFeedSink) => {
      sink = to
    },
    stop: () => void calls.push('stop'),
  }
  const subscriptions = new MarketSubscriptions(options, { feed, clock, random: createSeededRandom(seed), log: createSilentLogger() })
  const push = (n: number) => (sink as MarketFeedSink).data('ETHUSDT@trade', trade(n))
  const subscribe = async (session: string, streams: ('trade' | 'kline' | 'aggTrade')[] = ['trade'], symbol = 'ethusdt') => {
    const outcome = await subscriptions.subscribe(session, { symbol, streams })
    assert.ok(outcome.ok, outcome.ok ? '' : outcome.detail)
    return outcome.value
  }
  return { subscriptions, clock, calls, push, subscribe, status: (why: string) => (sink as MarketFeedSink).status('down', why) }
}

async function take(
  subscriptions: ReturnType<typeof world>['subscriptions'],
  session: string,
  count: number,
  lastEventId?: string,
): Promise<MarketEvent[]> {
  const leaving = new AbortController()
  const reader = subscriptions.read(session, { signal: leaving.signal, ...(lastEventId === undefined ? {} : { lastEventId }) })
  assert.ok(reader !== null && reader !== 'limit')
  const events: MarketEvent[] = []
  for await (const event of reader) if (events.push(event) === count) leaving.abort()
  return events
}
const ids = (events: readonly MarketEvent[]) =>
  events.map((event) => (event.event === 'data' && event.data.kind === 'trade' ? event.data.trade_id : event.event))

describe('the subscriptions of market data', () => {
  it('names streams as the exchange does, and opens each once for all sessions', async () => {
    const { subscriptions, calls, subscribe } = world()
    const one = await subscribe('a', ['trade', 'kline'])
    assert.deepEqual([one.status, one.streams], ['subscribed', ['ETHUSDT@trade', 'ETHUSDT@kline_1m']])
    const other = await subscribe('b')
    assert.ok(subscriptions.unsubscribe('a', one.subscription_id).ok)
    assert.deepEqual(calls.slice(-1), ['-ETHUSDT@kline_1m'])
    assert.ok(subscriptions.unsubscribe('b', other.subscription_id).ok)
    assert.deepEqual(calls.slice(-1), ['-ETHUSDT@trade'])
    assert.deepEqual(subscriptions.streams, [])
  })

  it("keeps a session's stream while another subscription of it has it, and ends nobody else's", async () => {
    const { subscriptions, subscribe } = world()
    const [first, second] = [await subscribe('a'), await subscribe('a')]
    const foreign = subscriptions.unsubscribe('b', first.subscription_id)
    assert.ok(!foreign.ok && foreign.reason === 'not-found')
    subscriptions.unsubscribe('a', first.subscription_id)
    assert.deepEqual(subscriptions.streams, ['ETHUSDT@trade'])
    subscriptions.unsubscribe('a', second.subscription_id)
    assert.ok(!subscriptions.unsubscribe('a', second.subscription_id).ok)
  })

  it('gives a reader what comes, and one that comes back what it missed', async () => {
    const { subscriptions, push, subscribe } = world()
    await subscribe('a')
    const first = take(subscriptions, 'a', 2)
    for (const n of [1, 2, 3, 4]) push(n)
    const seen = await first
    assert.deepEqual(ids(seen), ['1', '2'])
    assert.deepEqual(ids(await take(subscriptions, 'a', 2, seen[1]?.id)), ['3', '4'])
    assert.deepEqual(ids(await take(subscriptions, 'a', 1, seen[0]?.id)), ['2'])
  })

  it('says how many events are gone, and that ids of another run mean nothing', async () => {
    const { subscriptions, push, subscribe } = world({ keptEvents: 3 })
    await subscribe('a')
    const first = take(subscriptions, 'a', 1)
    push(1)
    const [{ id } = { id: '' }] = await first
    for (let n = 2; n <= 12; n++) push(n)
    const events = await take(subscriptions, 'a', 4, id)
    assert.deepEqual(ids(events), ['gap', '10', '11', '12'])
    assert.deepEqual([events[0]?.event === 'gap' && events[0].lost], [8])
    for (const foreign of ['deadbeef-3', 'x', `${id.split('-')[0]}-999`]) {
      const [gap, ...more] = await take(subscriptions, 'a', 4, foreign)
      assert.deepEqual([gap?.event === 'gap' && gap.lost, ids(more)], [null, ['10', '11', '12']])
    }
    assert.deepEqual(ids(await take(subscriptions, 'a', 1, events[2]?.id)), ['12'])
  })

  it('tells everybody that the source is down, and only subscribers what it sends', async () => {
    const { subscriptions, push, subscribe, status } = world()
    await subscribe('a')
    await subscribe('b', ['aggTrade'])
    const [a, b] = [take(subscriptions, 'a', 2), take(subscriptions, 'b', 1)]
    push(1)
    status('test: away')
    assert.deepEqual([ids(await a), ids(await b)], [['1', 'status'], ['status']])
  })

  it('has limits: subscriptions also when asked at once, readers, streams, sessions', async () => {
    const { subscriptions, subscribe } = world({ maxSubscriptions: 2, maxReaders: 1, maxStreams: 2, maxSessions: 2 })
    const outcomes = await Promise.all([1, 2, 3].map(() => subscriptions.subscribe('a', { symbol: 'ETHUSDT', streams: ['trade'] })))
    assert.deepEqual(
      outcomes.map((outcome) => outcome.ok || outcome.reason),
      [true, true, 'limit'],
    )
    const leaving = new AbortController()
    const reader = subscriptions.read('a', { signal: leaving.signal })
    assert.ok(reader !== null && reader !== 'limit')
    const waiting = reader[Symbol.asyncIterator]().next()
    assert.equal(subscriptions.read('a', { signal: leaving.signal }), 'limit')
    leaving.abort()
    assert.equal((await waiting).done, true)
    await subscribe('b')
    const more = await subscriptions.subscribe('b', { symbol: 'BTCUSDT', streams: ['trade', 'kline'] })
    assert.ok(!more.ok && more.reason === 'limit')
    const third = await subscriptions.subscribe('c', { symbol: 'ETHUSDT', streams: ['trade'] })
    assert.ok(!third.ok && third.reason === 'limit')
    assert.equal(subscriptions.read('c', { signal: leaving.signal }), null)
  })

  it('passes on why the source has no such stream', async () => {
    const { subscriptions } = world()
    const outcome = await subscriptions.subscribe('a', { symbol: 'NONE', streams: ['trade'] })
    assert.ok(!outcome.ok && outcome.reason === 'not-found')
    assert.deepEqual(subscriptions.streams, [])
  })

  it('forgets a session that nobody reads, and not one that is read', async () => {
    const { subscriptions, clock, subscribe, calls } = world({ idleMs: 1_000 })
    await subscribe('a')
    await subscribe('b', ['aggTrade'])
    const leaving = new AbortController()
    const reader = subscriptions.read('b', { signal: leaving.signal })
    assert.ok(reader !== null && reader !== 'limit')
    const waiting = reader[Symbol.asyncIterator]().next()
    await clock.advance(1_000)
    subscriptions.sweep()
    assert.deepEqual(subscriptions.streams, ['ETHUSDT@aggTrade'])
    subscriptions.drop('b')
    assert.equal((await waiting).done, true)
    subscriptions.stop()
    assert.deepEqual(calls.slice(-2), ['-ETHUSDT@aggTrade', 'stop'])
  })
})

describe('candles', () => {
  const at = (timeSec: number, price: number, quantity = 1) => ({
    timeSec,
    price: new Decimal(price),
    quantity: new Decimal(quantity),
    quoteQuantity: new Decimal(price).mul(quantity),
  })

  it('hold what was traded in their interval, and close with time or with the next trade', () => {
    const candles = new Candles('ETHUSD', '1m', 60)
    assert.deepEqual(candles.advance(1_000), [])
    candles.add(at(1_025, 100))
    candles.add(at(1_030, 90, 2))
    const [open] = candles.add(at(1_040, 110))
    assert.deepEqual(
      [open?.open, open?.high, open?.low, open?.close, open?.volume, open?.quote_volume, open?.trades, open?.closed],
      ['100', '110', '90', '110', '4', '390', 3, false],
    )
    assert.deepEqual([open?.open_time, open?.close_time], ['1970-01-01T00:17:00.000Z', '1970-01-01T00:17:59.999Z'])
    const [closed, next] = candles.add(at(1_081, 50))
    assert.deepEqual([closed?.closed, closed?.close, next?.open, next?.low, next?.trades], [true, '110', '110', '50', 1])
    assert.deepEqual(
      candles.advance(5_000).map(({ closed: done, trades }) => [done, trades]),
      [[true, 1]],
    )
    assert.deepEqual([candles.current?.open, candles.current?.trades], ['50', 0])
  })
})
