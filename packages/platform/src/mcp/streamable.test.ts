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
  const streamOf = (event: string | null) => Number(/^id: (\d+)-\d+$/m.exec(event ?? '')?.[1])
  const held = (id: number | string) => ({ ...JSON_RPC, id, method: 'tools/call', params: { name: 'held' } })

  it('answers with JSON when it is prompt, and with events when it takes longer', async () => {
    const { own } = await open()
    assert.deepEqual(await (await world.post('/mcp', PING, own)).json(), { jsonrpc: '2.0', id: 1, result: {} })
    const asking = world.post('/mcp', held('h'), own)
    const { finish } = await world.heldCall()
    await world.clock.advance(2_000)
    const response = await asking
    assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/)
    const next = readEvents(response)
    const first = await next()
    const stream = streamOf(first)
    assert.equal(first, `id: ${stream}-0\ndata: `)
    await world.clock.advance(15_000)
    assert.equal(await next(), ': heartbeat')
    finish({ n: 1 })
    assert.match((await next()) ?? '', new RegExp(`^event: message\nid: ${stream}-1\ndata: .*"n":1`))
    assert.equal(await next(), null)
  })

  it('sends only events to a client that accepts nothing else, without an empty one for older clients', async () => {
    const { own } = await open()
    const headers = { ...own, accept: 'text/event-stream', 'mcp-protocol-version': '2025-06-18' }
    const next = readEvents(await world.post('/mcp', PING, headers))
    assert.match((await next()) ?? '', /^event: message\nid: \d+-1\n/)
    assert.equal(await next(), null)
  })

  it('resumes after the last event of a client, in its own session only', async () => {
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
    const stream = streamOf(await readEvents(await asking)())
    leaving.abort()
    const again = readEvents(await session.get({ 'last-event-id': `${stream}-0` }))
    assert.equal(signal.aborted, false)
    finish({ n: 1 })
    assert.match((await again()) ?? '', new RegExp(`id: ${stream}-1\n.*"n":1`))
    assert.equal(await again(), null)
    const later = readEvents(await session.get({ 'last-event-id': `${stream}-0` }))
    assert.match((await later()) ?? '', new RegExp(`id: ${stream}-1\n`))
    assert.equal(await later(), null)
    assert.equal(await readEvents(await session.get({ 'last-event-id': `${stream}-1` }))(), null)
    for (const unknown of [`${stream}-2`, `${stream + 1}-0`, 'x'])
      assert.equal((await session.get({ 'last-event-id': unknown })).status, 400)
    assert.equal((await other.get({ 'last-event-id': `${stream}-0` })).status, 400)
  })

  it('keeps a bounded number of answers', async () => {
    const { own, get } = await open()
    const headers = { ...own, accept: 'text/event-stream' }
    const streams: number[] = []
    for (let i = 0; i < 3; i++) streams.push(streamOf(await (await world.post('/mcp', PING, headers)).text()))
    assert.equal(new Set(streams).size, 3)
    assert.equal((await get({ 'last-event-id': `${streams[0]}-0` })).status, 400)
    assert.equal((await get({ 'last-event-id': `${streams[2]}-0` })).status, 200)
    const list = await (await world.post('/mcp', { ...PING, method: 'tools/list' }, headers)).text()
    assert.match(list, /id: \d+-1\ndata: .*bitcoin_decode_tx/)
    assert.equal((await get({ 'last-event-id': `${streamOf(list)}-0` })).status, 400)
  })

  it('keeps the answers of streams apart from those sent as JSON', async () => {
    const { own, get } = await open()
    const stream = streamOf(await (await world.post('/mcp', PING, { ...own, accept: 'text/event-stream' })).text())
    for (let i = 0; i < 5; i++) assert.equal((await world.post('/mcp', PING, own)).status, 200)
    assert.match(await (await get({ 'last-event-id': `${stream}-0` })).text(), new RegExp(`id: ${stream}-1\n`))
  })

  it('refuses an id that is in progress, and answers the first request once', async () => {
    const { own } = await open()
    const first = world.post('/mcp', held('h'), own)
    const { finish } = await world.heldCall()
    const answers = (await (await world.post('/mcp', [held('h'), PING, PING], own)).json()) as { id: unknown; error?: { code: number } }[]
    assert.deepEqual(
      answers.map(({ id, error }) => [id, error?.code]),
      [
        ['h', -32600],
        [1, undefined],
        [1, -32600],
      ],
    )
    finish({ n: 1 })
    assert.match(await (await first).text(), /"n":1/)
  })

  it('answers a call that moves money with its result, although the client cancelled it', async () => {
    const { own } = await open(bearer(ANN))
    const paying = world.post('/mcp', { ...held('p'), params: { name: 'pay' } }, own)
    const { finish } = await world.heldCall()
    const cancel = { ...JSON_RPC, method: 'notifications/cancelled', params: { requestId: 'p' } }
    assert.equal((await world.post('/mcp', cancel, own)).status, 202)
    finish({ paid: true })
    assert.deepEqual(((await (await paying).json()) as { result: { structuredContent: unknown } }).result.structuredContent, { paid: true })
  })

  it('answers a request in progress with an error when its session ends', async () => {
    const { own } = await open()
    const asking = world.post('/mcp', held('h'), own)
    const { signal } = await world.heldCall()
    await world.clock.advance(2_000)
    const next = readEvents(await asking)
    assert.match((await next()) ?? '', /^id: /)
    assert.equal((await fetch(`${world.url}/mcp`, { method: 'DELETE', headers: own })).status, 200)
    assert.match((await next()) ?? '', /"id":"h","error":\{"code":-32000,"message":"The session has ended"/)
    assert.deepEqual([await next(), signal.aborted], [null, true])
  })

  it('allows one listener per session', async () => {
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

  it('belongs to the caller that opened it', async () => {
    const { id, own } = await open(bearer(ANN))
    for (const headers of [{}, bearer(BOB)])
      assert.equal((await world.post('/mcp', PING, { ...BOTH, 'mcp-session-id': id, ...headers })).status, 404)
    assert.equal((await world.post('/mcp', PING, { ...own, ...bearer('made-up') })).status, 401)
    assert.equal((await world.post('/mcp', PING, own)).status, 200)
    assert.equal((await fetch(`${world.url}/mcp`, { method: 'DELETE', headers: { 'mcp-session-id': id } })).status, 404)
    assert.equal((await fetch(`${world.url}/mcp`)).status, 400)
  })

  it('opens no session for an initialize that is invalid, in a batch, or within a session', async () => {
    const { own } = await open()
    for (let i = 0; i < 4; i++) {
      const refused = await world.post('/mcp', { ...INITIALIZE, params: {} }, BOTH)
      assert.deepEqual([refused.status, refused.headers.get('mcp-session-id')], [200, null])
      assert.equal(((await refused.json()) as { error: { code: number } }).error.code, -32602)
    }
    assert.equal((await world.post('/mcp', INITIALIZE, own)).status, 400)
    assert.equal((await world.post('/mcp', [INITIALIZE, PING], BOTH)).status, 400)
  })

  it('limits the requests in progress', async () => {
    const { own } = await open()
    const first = world.post('/mcp', [1, 2, 3, 4, 5].map(held), own)
    const calls = [await world.heldCall()]
    while (calls.length < 5) calls.push(await world.heldCall())
    assert.equal((await world.post('/mcp', [6, 7, 8, 9].map(held), own)).status, 429)
    for (const { finish } of calls) finish(1)
    assert.equal(((await (await first).json()) as unknown[]).length, 5)
  })
})
