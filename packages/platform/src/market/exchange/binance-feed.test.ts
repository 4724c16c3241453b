import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { createSeededRandom, createSystemClock } from '@keelson/runtime'
import { type WebSocket, WebSocketServer } from 'ws'
import type { MarketData } from '../../schemas/exchange.ts'
import { BinanceFeed } from './binance-feed.ts'

const TRADE = { e: 'trade', E: 1, s: 'BTCUSDT', t: 12345, p: '0.00100000', q: '100.5', T: 1_672_515_782_136, m: true, M: true }
const KLINE = {
  e: 'kline',
  E: 1,
  s: 'BTCUSDT',
  k: {
    t: 1_672_515_780_000,
    T: 1_672_515_839_999,
    s: 'BTCUSDT',
    i: '1m',
    f: 1,
    L: 2,
    o: '1',
    c: '2',
    h: '3',
    l: '0.5',
    v: '10',
    n: 7,
    x: false,
    q: '15',
    V: '1',
    Q: '1',
    B: '0',
  },
}
const key = (kind: 'trade' | 'kline') => ({ symbol: 'BTCUSDT', kind, interval: kind === 'kline' ? ('1m' as const) : null })

describe('market data of an exchange', () => {
  let server: WebSocketServer
  let connections: WebSocket[]
  let log: unknown[]
  let rouse: () => void
  const note = (entry: unknown) => {
    log.push(entry)
    rouse()
  }
  async function until<T>(found: () => T | undefined): Promise<T> {
    for (;;) {
      const result = found()
      if (result !== undefined) return result
      await new Promise<void>((resolve) => {
        rouse = resolve
      })
    }
  }
  beforeEach(async () => {
    log = []
    connections = []
    rouse = () => undefined
    server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    server.on('connection', (socket) => {
      connections.push(socket)
      socket.on('message', (text) => note(JSON.parse(String(text))))
      socket.on('close', () => note('closed'))
    })
    await new Promise<void>((resolve) => server.once('listening', resolve))
  })
  afterEach(() => {
    for (const socket of server.clients) socket.terminate()
    server.close()
  })
  function open() {
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/stream`
    const feed = new BinanceFeed(url, { clock: createSystemClock(), random: createSeededRandom(3) })
    feed.connect({ data: (stream, data) => note({ stream, data }), status: (state) => note(state) })
    return feed
  }
  const asked = (method: string, nth = 1) =>
    until(
      () => log.filter((entry): entry is { method: string; params: string[] } => (entry as { method?: string }).method === method)[nth - 1],
    )
  const told = (stream: string) =>
    until(() => log.find((entry): entry is { stream: string; data: MarketData } => (entry as { stream?: string }).stream === stream)?.data)

  it('subscribes with the names of the exchange, and delivers trades and candles with ours', async () => {
    const feed = open()
    feed.open(key('trade'))
    assert.deepEqual((await asked('SUBSCRIBE')).params, ['btcusdt@trade'])
    feed.open(key('kline'))
    assert.deepEqual((await asked('SUBSCRIBE', 2)).params, ['btcusdt@kline_1m'])
    const [socket] = connections
    const send = (message: unknown) => socket?.send(typeof message === 'string' ? message : JSON.stringify(message))
    for (const noise of [{ result: null, id: 1 }, 'no json', { stream: 'ethusdt@trade', data: TRADE }]) send(noise)
    send({ stream: 'btcusdt@trade', data: { ...TRADE, p: 'NaN' } })
    send({ stream: 'btcusdt@trade', data: TRADE })
    send({ stream: 'btcusdt@kline_1m', data: KLINE })
    assert.deepEqual(await told('BTCUSDT@trade'), {
      kind: 'trade',
      symbol: 'BTCUSDT',
      trade_id: '12345',
      price: '0.00100000',
      quantity: '100.5',
      side: 'sell',
      time: '2022-12-31T19:43:02.136Z',
      transaction_hash: null,
    })
    const kline = await told('BTCUSDT@kline_1m')
    assert.ok(kline.kind === 'kline')
    assert.deepEqual([kline.open, kline.high, kline.low, kline.close, kline.trades, kline.closed], ['1', '3', '0.5', '2', 7, false])
    assert.equal(log.filter((entry) => (entry as { stream?: string }).stream !== undefined).length, 2)
    feed.close(key('trade'))
    assert.deepEqual((await asked('UNSUBSCRIBE')).params, ['btcusdt@trade'])
    feed.close(key('kline'))
    await until(() => log.find((entry) => entry === 'closed'))
  })

  it('reconnects when the connection breaks, subscribes to everything again, and reports both', async () => {
    const feed = open()
    feed.open(key('trade'))
    feed.open(key('kline'))
    await asked('SUBSCRIBE')
    connections[0]?.terminate()
    await until(() => log.find((entry) => entry === 'down'))
    assert.deepEqual((await asked('SUBSCRIBE', 2)).params, ['btcusdt@trade', 'btcusdt@kline_1m'])
    await until(() => log.find((entry) => entry === 'up'))
    feed.stop()
    await until(() => (log.filter((entry) => entry === 'closed').length === 2 ? true : undefined))
  })
})
