import assert from 'node:assert/strict'
import { HEARTBEAT_MS } from '../../http/event-stream.ts'
import type { MarketTrade } from '../../schemas/exchange.ts'
import { openTestDatabase } from '../../storage/database.test-support.ts'
import { SWEEP_MS } from '../../sweeping-service.ts'
import { createToolWorld, type ToolWorld } from '../market-world.test-support.ts'

const BASE = '/api/v1/multi-agent/exchange'
const trade = (n: number): MarketTrade => ({
  kind: 'trade',
  symbol: 'ETHUSD',
  trade_id: String(n),
  price: '2500',
  quantity: '1',
  side: 'buy',
  time: '2026-01-01T00:00:00.000Z',
  transaction_hash: null,
})

describe('market data over HTTP', () => {
  let world: ToolWorld
  before(openTestDatabase)
  beforeEach(async () => {
    world = await createToolWorld()
    await world.platform.start(new AbortController().signal)
  })
  const stop = async () => {
    const stopped = world.platform.stop()
    await world.clock.advance(5_000)
    await stopped
  }
  afterEach(stop)

  const post = (path: string, json: unknown, token = world.token) => world.ask('POST', `${BASE}${path}`, { token, json })
  const subscribe = async (token = world.token) => {
    const { status, body } = await post('/subscribe', { symbol: 'ethusd', streams: ['trade'] }, token)
    assert.equal(status, 200, JSON.stringify(body))
    return body as { subscription_id: string; status: string; streams: string[] }
  }
  const push = (n: number) => world.market.sink?.data('ETHUSD@trade', trade(n))

  async function read(headers: Record<string, string> = {}, path = '/stream') {
    const leaving = new AbortController()
    const url = `${world.platform.server.url}${BASE}${path}`
    const response = await fetch(url, { headers: { authorization: `Bearer ${world.token}`, ...headers }, signal: leaving.signal })
    const pieces = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    assert.ok(pieces !== undefined)
    let text = ''
    const until = async (done: () => boolean) => {
      while (!done()) {
        const piece = await pieces.read()
        if (piece.done) return text
        text += piece.value
      }
      return text
    }
    return {
      response,
      saw: async (piece: string) => {
        await until(() => text.includes(piece))
        assert.ok(text.includes(piece), `the stream ended before ${piece}`)
        return text
      },
      end: () => until(() => false),
      leave: () => leaving.abort(),
    }
  }
  const idsOf = (text: string) => [...text.matchAll(/^id: (.+)$/gm)].map(([, id]) => id as string)
  const tradesOf = (text: string) => [...text.matchAll(/"trade_id":"(\d+)"/g)].map(([, id]) => Number(id))
  const removeSession = () => world.ask('DELETE', `/api/v1/auth/session/${world.sessionId}`, { token: world.token })

  it('subscribes and unsubscribes by id, each session for itself', async () => {
    const { subscription_id, status, streams } = await subscribe()
    assert.deepEqual([status, streams, [...world.market.open]], ['subscribed', ['ETHUSD@trade'], ['ETHUSD']])
    const other = (await world.newSession()).token.access_token
    assert.equal((await post('/unsubscribe', { subscription_id }, other)).status, 404)
    const ended = await post('/unsubscribe', { subscription_id })
    assert.deepEqual([ended.status, ended.body], [200, { subscription_id, status: 'unsubscribed' }])
    assert.equal((await post('/unsubscribe', { subscription_id })).status, 404)
    assert.equal(world.market.open.size, 0)
  })

  it('refuses symbols that nobody trades, and more subscriptions than a session may have', async () => {
    assert.equal((await post('/subscribe', { symbol: 'NONE', streams: ['trade'] })).status, 404)
    for (let n = 0; n < 10; n++) await subscribe()
    const { status, headers, body } = await post('/subscribe', { symbol: 'ETHUSD', streams: ['trade'] })
    assert.equal(status, 429)
    assert.match(body.detail, /at most 10 subscriptions/)
    assert.ok(Number(headers['retry-after']) > 0)
  })

  it('delivers events with ids, and resumes after the last one seen', async () => {
    await subscribe()
    const first = await read({ origin: 'https://example.org' })
    assert.equal(first.response.status, 200)
    assert.match(String(first.response.headers.get('content-type')), /^text\/event-stream/)
    assert.equal(first.response.headers.get('cache-control'), 'no-store')
    assert.ok(first.response.headers.get('ratelimit-limit'))
    await first.saw('retry: ')
    push(1)
    push(2)
    const text = await first.saw('"trade_id":"2"')
    assert.match(text, /^id: [0-9a-f]{8}-1\nevent: data\ndata: \{"stream":"ETHUSD@trade","data":\{"kind":"trade".*\}\}\n\n/m)
    first.leave()
    push(3)
    const [seen] = idsOf(text)
    const second = await read({ 'last-event-id': seen as string })
    assert.deepEqual(tradesOf(await second.saw('"trade_id":"3"')), [2, 3])
    const third = await read({}, `/stream?last_event_id=${seen}`)
    assert.deepEqual(tradesOf(await third.saw('"trade_id":"3"')), [2, 3])
    const lost = await read({ 'last-event-id': 'of-another-run' })
    assert.match(await lost.saw('"trade_id":"3"'), /event: gap\ndata: \{"lost":null\}/)
    for (const reader of [second, third, lost]) reader.leave()
  })

  it('lets a session read three streams at once, and one again when a reader has left', async () => {
    await subscribe()
    const readers = [await read(), await read(), await read()]
    for (const reader of readers) await reader.saw('retry: ')
    const fourth = await world.ask('GET', `${BASE}/stream`, { token: world.token })
    assert.equal(fourth.status, 429)
    assert.ok(Number(fourth.headers['retry-after']) > 0)
    readers[0]?.leave()
    let next = await read()
    while (next.response.status === 429) next = await read()
    assert.equal(next.response.status, 200)
    for (const reader of [...readers.slice(1), next]) reader.leave()
  })

  it('has nothing to read before a subscription, and no body for HEAD', async () => {
    assert.equal((await world.ask('GET', `${BASE}/stream`, { token: world.token })).status, 404)
    await subscribe()
    const { statusCode, body } = await world.platform.server.app.inject({
      method: 'HEAD',
      url: `${BASE}/stream`,
      headers: { authorization: `Bearer ${world.token}` },
    })
    assert.deepEqual([statusCode, body], [200, ''])
  })

  it('sends a comment while nothing happens, and ends when the token has expired', async () => {
    await subscribe()
    const reader = await read()
    await reader.saw('retry: ')
    await world.clock.advance(HEARTBEAT_MS)
    assert.match(await reader.saw(': heartbeat\n\n'), /^retry: 2000\n\n: heartbeat\n\n$/)
    await world.clock.advance(7_200_000)
    let over = false
    const ending = reader.end().finally(() => {
      over = true
    })
    while (!over) {
      await world.clock.advance(HEARTBEAT_MS)
      await new Promise((resolve) => setImmediate(resolve))
    }
    assert.deepEqual(idsOf(await ending), [])
  })

  it('ends with its session: streams, and what they wanted of the exchange', async () => {
    await subscribe()
    const reader = await read()
    await reader.saw('retry: ')
    assert.equal((await removeSession()).status, 200)
    await reader.end()
    assert.equal(world.market.open.size, 0)
  })

  it('forgets a session that nobody reads, and ends all streams when the platform stops', async () => {
    await subscribe()
    await world.clock.advance(300_000 + SWEEP_MS)
    assert.equal(world.market.open.size, 0)
    await subscribe()
    const reader = await read()
    await reader.saw('retry: ')
    await stop()
    await reader.end()
    assert.deepEqual([world.market.open.size, world.market.stopped], [0, true])
  })
})
