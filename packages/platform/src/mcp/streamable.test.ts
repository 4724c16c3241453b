import assert from 'node:assert/strict'
import { ANN, BOB, BOTH, bearer, createMcpWorld, INITIALIZE, JSON_RPC, type McpWorld, PING, readEvents } from './mcp-world.test-support.ts'

describe('tool protocol, Streamable HTTP', () => {
  let world: McpWorld
  beforeEach(async () => {
    world = await createMcpWorld({ limits: { keptBytes: 1_000, keptStreams: 2, sessionsOfOne: 3 } })
  })
  afterEach(() => world.stop())

  async function open(headers: Record<string, string> = {}) {
    const response = await world.post('/mcp', INITIALIZE, { ...BOTH, ...headers })
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'application/json; charset=utf-8'])
    assert.equal(((await response.json()) as { id: string }).id, 'first')
    const id = response.headers.get('mcp-session-id') ?? ''
    assert.match(id, /^[0-9a-f]{32}$/)
    const own = { ...BOTH, 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25', ...headers }
    return { id, own, get: (more = {}) => fetch(`${world.url}/mcp`, { headers: { ...own, ...more } }) }
  }
  const held = (id: number | string) => ({ ...JSON_RPC, id, method: 'tools/call', params: { name: 'held' } })

  it('answers at once as JSON, and as events when it takes longer', async () => {
    const { own } = await open()
    assert.deepEqual(await (await world.post('/mcp', PING, own)).json(), { jsonrpc: '2.0', id: 1, result: {} })
    const asking = world.post('/mcp', held('h'), own)
    const { finish } = await world.heldCall()
    await world.clock.advance(2_000)
    const response = await asking
    assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/)
    const next = readEvents(response)
    assert.equal(await next(), 'id: 1-0\ndata: ')
    await world.clock.advance(15_000)
    assert.equal(await next(), ': heartbeat')
    finish({ n: 1 })
    assert.match((await next()) ?? '', /^event: message\nid: 1-1\ndata: .*"n":1/)
    assert.equal(await next(), null)
  })

  it('sends events alone to who takes nothing else, without an empty one to older clients', async () => {
    const { own } = await open()
    const headers = { ...own, accept: 'text/event-stream', 'mcp-protocol-version': '2025-06-18' }
    const next = readEvents(await world.post('/mcp', PING, headers))
    assert.match((await next()) ?? '', /^event: message\nid: 1-1\n/)
    assert.equal(await next(), null)
  })

  it('goes on after the last event a client had, in its own session only', async () => {
    const [session, other] = [await open(), await open()]
    const leaving = new AbortController()
    const asking = fetch(`${world.url}/mcp`, {
      method: 'POST',
      headers: { ...session.own, 'content-type': 'application/json' },
      body: JSON.stringify(held('h')),
      signal: leaving.signal,
    })
    const { finish, signal } = await world.heldCall()
    await world.clock.advance(2_000)
    assert.equal(await readEvents(await asking)(), 'id: 1-0\ndata: ')
    leaving.abort()
    const again = readEvents(await session.get({ 'last-event-id': '1-0' }))
    assert.equal(signal.aborted, false)
    finish({ n: 1 })
    assert.match((await again()) ?? '', /id: 1-1\n.*"n":1/)
    assert.equal(await again(), null)
    // and once more, when all is over
    const later = readEvents(await session.get({ 'last-event-id': '1-0' }))
    assert.match((await later()) ?? '', /id: 1-1\n/)
    assert.equal(await later(), null)
    assert.equal(await readEvents(await session.get({ 'last-event-id': '1-1' }))(), null)
    for (const unknown of ['1-2', '2-0', 'x']) assert.equal((await session.get({ 'last-event-id': unknown })).status, 400)
    assert.equal((await other.get({ 'last-event-id': '1-0' })).status, 400)
  })

  it('keeps no more answers than it may', async () => {
    const { own, get } = await open()
    const headers = { ...own, accept: 'text/event-stream' }
    for (let i = 0; i < 3; i++) await (await world.post('/mcp', PING, headers)).text()
    assert.equal((await get({ 'last-event-id': '1-0' })).status, 400)
    assert.equal((await get({ 'last-event-id': '3-0' })).status, 200)
    const list = await world.post('/mcp', { ...PING, method: 'tools/list' }, headers)
    assert.match(await list.text(), /id: 4-1\ndata: .*bitcoin_decode_tx/)
    assert.equal((await get({ 'last-event-id': '4-0' })).status, 400)
  })

  it('lets a session listen once at a time', async () => {
    const { get } = await open()
    const [first, second] = [readEvents(await get()), readEvents(await get())]
    assert.equal(await first(), null)
    await world.clock.advance(15_000)
    assert.equal(await second(), ': heartbeat')
  })

  it('ends a session by request, and after five minutes without a message', async () => {
    const [asked, idle] = [await open(), await open()]
    const listening = readEvents(await asked.get())
    const end = () => fetch(`${world.url}/mcp`, { method: 'DELETE', headers: asked.own })
    assert.deepEqual(await (await end()).json(), { message: 'Session ended' })
    assert.equal(await listening(), null)
    assert.equal((await end()).status, 404)
    assert.equal((await world.post('/mcp', PING, asked.own)).status, 404)
    await world.clock.advance(301_000)
    assert.equal((await world.post('/mcp', PING, idle.own)).status, 404)
  })

  it('belongs to who opened it', async () => {
    const { id, own } = await open(bearer(ANN))
    for (const headers of [{}, bearer(BOB)])
      assert.equal((await world.post('/mcp', PING, { ...BOTH, 'mcp-session-id': id, ...headers })).status, 404)
    assert.equal((await world.post('/mcp', PING, { ...own, ...bearer('made-up') })).status, 401)
    assert.equal((await world.post('/mcp', PING, own)).status, 200)
    assert.equal((await fetch(`${world.url}/mcp`, { method: 'DELETE', headers: { 'mcp-session-id': id } })).status, 404)
    assert.equal((await fetch(`${world.url}/mcp`)).status, 400)
  })

  it('does not open a session by an initialize that is refused, comes with others, or within one', async () => {
    const { own } = await open()
    for (let i = 0; i < 4; i++) {
      const refused = await world.post('/mcp', { ...INITIALIZE, params: {} }, BOTH)
      assert.deepEqual([refused.status, refused.headers.get('mcp-session-id')], [200, null])
      assert.equal(((await refused.json()) as { error: { code: number } }).error.code, -32602)
    }
    assert.equal((await world.post('/mcp', INITIALIZE, own)).status, 400)
    assert.equal((await world.post('/mcp', [INITIALIZE, PING], BOTH)).status, 400)
  })

  it('has so many requests under way at once', async () => {
    const { own } = await open()
    const first = world.post('/mcp', [1, 2, 3, 4, 5].map(held), own)
    const calls = [await world.heldCall()]
    while (calls.length < 5) calls.push(await world.heldCall())
    assert.equal((await world.post('/mcp', [6, 7, 8, 9].map(held), own)).status, 429)
    for (const { finish } of calls) finish(1)
    assert.equal(((await (await first).json()) as unknown[]).length, 5)
  })
})
