import assert from 'node:assert/strict'
import { connect } from 'node:net'
import {
  ANN,
  BOB,
  bearer,
  createMcpWorld,
  GENESIS_ADDRESS,
  INITIALIZE,
  JSON_RPC,
  type McpWorld,
  PING,
  readEvents,
} from './mcp-world.test-support.ts'

describe('tool protocol, messages without a session', () => {
  let world: McpWorld
  before(async () => {
    world = await createMcpWorld()
  })
  after(() => world.stop())

  for (const path of ['/mcp/messages', '/mcp']) {
    it(`are answered in the body at ${path}`, async () => {
      // biome-ignore lint/suspicious/noExplicitAny: what a client sees
      const ask = async (body: unknown, headers = {}): Promise<any> => {
        const response = await world.post(path, body, headers)
        assert.equal(response.status, 200)
        return response.json()
      }
      const bare = await ask({ method: 'tools/list', params: {} })
      assert.equal(bare.id, null)
      assert.ok(bare.result.tools.some(({ name }: { name: string }) => name === 'bitcoin_decode_tx'))
      assert.deepEqual(await ask({ ...PING, id: 'p' }), { jsonrpc: '2.0', id: 'p', result: {} })
      const params = { name: 'bitcoin_validate_address', arguments: { address: GENESIS_ADDRESS } }
      assert.equal((await ask({ method: 'tools/call', params })).result.structuredContent.valid, true)
      assert.equal((await ask({ method: 'tools/call', params: { name: 'whoami' } }, bearer(ANN))).result.structuredContent.userId, 1)
      assert.equal((await ask({ method: 'nothing/such', id: 4 })).error.code, -32601)
      const wrong = await ask({ method: 'tools/call', params: {}, id: 4 })
      assert.deepEqual([wrong.id, wrong.error.code], [4, -32602])
      assert.equal((await ask({ method: 'initialize', params: INITIALIZE.params })).result.serverInfo.version, '1.2.3')
    })

    it(`are taken and not answered at ${path} when nothing asks for it`, async () => {
      for (const body of [{ method: 'notifications/initialized' }, { jsonrpc: '2.0', method: 'ping' }]) {
        const response = await world.post(path, body)
        assert.deepEqual([response.status, await response.text()], [202, 'Accepted'])
      }
    })

    it(`are refused at ${path} as everywhere when they do not fit`, async () => {
      const statusOf = async (body: unknown, headers = {}) => (await world.post(path, body, headers)).status
      assert.equal(await statusOf('{"method": '), 422)
      assert.equal(await statusOf(''), 422)
      assert.equal(await statusOf({ params: {} }), 422)
      assert.equal(await statusOf({ ...PING, id: null }), 422)
      assert.equal(await statusOf({ ...PING, jsonrpc: '1.0' }), 422)
      assert.equal(await statusOf({ ...PING, params: [] }), 422)
      assert.equal(await statusOf({ ...PING, params: { pad: 'x'.repeat(1024 * 1024) } }), 413)
      assert.equal(await statusOf({ ...PING, params: { pad: 'x'.repeat(11 * 1024 * 1024) } }), 413)
      assert.equal(await statusOf(PING, { 'mcp-protocol-version': '1999-01-01' }), 400)
      const refused = await world.post(path, PING, bearer('made-up'))
      assert.deepEqual([refused.status, refused.headers.get('www-authenticate')], [401, 'Bearer'])
      assert.equal((await world.post(path, PING, { authorization: 'Basic abc' })).status, 401)
    })
  }

  it('may come in a batch', async () => {
    const response = await world.post('/mcp', [PING, { ...JSON_RPC, method: 'notifications/x' }, { ...PING, id: 2 }])
    assert.deepEqual(
      ((await response.json()) as { id: number }[]).map(({ id }) => id),
      [1, 2],
    )
    assert.equal((await world.post('/mcp', Array(9).fill(PING))).status, 422)
    assert.equal((await world.post('/mcp', [])).status, 422)
  })
})

describe('tool protocol, pages in browsers', () => {
  it('may call only from the configured origins', async () => {
    for (const [corsOrigins, foreign] of [
      [['https://good.example'], 403],
      [['*'], 200],
    ] as const) {
      const world = await createMcpWorld({ corsOrigins })
      assert.equal((await world.post('/mcp/messages', PING, { origin: 'https://good.example' })).status, 200)
      for (const origin of ['https://evil.example', 'null', world.url])
        assert.equal((await world.post('/mcp/messages', PING, { origin })).status, foreign)
      if (foreign === 403) {
        const headers = { origin: 'https://evil.example' }
        assert.equal((await fetch(`${world.url}/mcp/sse`, { headers })).status, 403)
        assert.equal((await fetch(`${world.url}/mcp`, { headers: { ...headers, 'mcp-session-id': 'x' } })).status, 403)
      }
      await world.stop()
    }
  })
})

describe('tool protocol, the stream of events', () => {
  let world: McpWorld
  beforeEach(async () => {
    world = await createMcpWorld({ limits: { sessions: 5, sessionsOfOne: 3 } })
  })
  afterEach(() => world.stop())

  async function open(headers: Record<string, string> = {}) {
    const leaving = new AbortController()
    const response = await fetch(`${world.url}/mcp/sse`, { headers, signal: leaving.signal })
    assert.equal(response.status, 200)
    const next = readEvents(response)
    const [, endpoint = ''] = /^event: endpoint\ndata: (.+)$/.exec((await next()) ?? '') ?? []
    return { response, next, endpoint, leave: () => leaving.abort() }
  }

  it('begins with the endpoint, and carries the answers', async () => {
    const { response, next, endpoint } = await open()
    assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/)
    assert.ok(response.headers.has('ratelimit-limit'))
    assert.match(endpoint, /^\/mcp\/messages\?sessionId=[0-9a-f]{32}$/)
    assert.equal((await world.post(endpoint, PING)).status, 202)
    assert.equal(await next(), `event: message\ndata: ${JSON.stringify({ result: {}, jsonrpc: '2.0', id: 1 })}`)
  })

  it('sends heartbeats, and ends after five minutes without a message', async () => {
    const { next } = await open()
    for (let beat = 0; beat < 19; beat++) {
      await world.clock.advance(15_000)
      assert.equal(await next(), ': heartbeat')
    }
    await world.clock.advance(20_000)
    for (let event = await next(); event !== null; event = await next()) assert.equal(event, ': heartbeat')
  })

  it('stays open while messages come or a call is in progress', async () => {
    const { endpoint } = await open()
    await world.post(endpoint, { ...PING, method: 'tools/call', params: { name: 'pay' } })
    for (let minute = 0; minute < 12; minute++) {
      await world.clock.advance(60_000)
      assert.equal((await world.post(endpoint, { ...PING, id: minute + 2 })).status, 202)
    }
    await world.clock.advance(301_000)
    assert.equal((await world.post(endpoint, PING)).status, 404)
  })

  it('belongs to the caller that opened it', async () => {
    const [open1, ann] = [await open(), await open(bearer(ANN))]
    for (const [endpoint, headers] of [
      [open1.endpoint, bearer(ANN)],
      [ann.endpoint, {}],
      [ann.endpoint, bearer(BOB)],
      [`/mcp/messages?sessionId=${'0'.repeat(32)}`, {}],
    ] as const)
      assert.equal((await world.post(endpoint, PING, headers)).status, 404)
    assert.equal((await world.post(ann.endpoint, PING, bearer('made-up'))).status, 401)
    assert.equal((await world.post(ann.endpoint, PING, bearer(ANN))).status, 202)
    const id = ann.endpoint.split('=')[1] ?? ''
    assert.equal((await world.post('/mcp', PING, { ...bearer(ANN), 'mcp-session-id': id })).status, 404)
  })

  it('ends at the next heartbeat after its token expires, and at once when the session is deleted', async () => {
    const { next } = await open(bearer(ANN))
    world.callers.delete(ANN)
    await world.clock.advance(15_000)
    assert.equal(await next(), null)
    const bob = await open(bearer(BOB))
    world.mcp.drop('bob')
    assert.equal(await bob.next(), null)
  })

  it('is limited per caller and in total', async () => {
    const streams = [await open(), await open(), await open()]
    const refused = await fetch(`${world.url}/mcp/sse`)
    assert.deepEqual([refused.status, refused.headers.has('retry-after')], [429, true])
    await open(bearer(ANN))
    await open(bearer(ANN))
    const full = await fetch(`${world.url}/mcp/sse`, { headers: bearer(BOB) })
    assert.deepEqual([full.status, full.headers.has('retry-after')], [503, true])
    streams[0]?.leave()
    const again = async (): Promise<number> => {
      const { status } = await fetch(`${world.url}/mcp/sse`)
      return status === 429 ? again() : status
    }
    assert.equal(await again(), 200)
  })

  it('limits the requests in progress', async () => {
    const { endpoint } = await open()
    const ask = (id: number) => world.post(endpoint, { ...PING, id, method: 'tools/call', params: { name: 'held' } })
    for (let id = 0; id < 8; id++) assert.equal((await ask(id)).status, 202)
    assert.equal((await ask(8)).status, 429)
    const call = await world.heldCall()
    call.finish(1)
  })

  it('refuses a second request with an id in progress', async () => {
    const { endpoint, next } = await open()
    const held = { ...PING, method: 'tools/call', params: { name: 'held' } }
    await world.post(endpoint, held)
    await world.post(endpoint, held)
    assert.match((await next()) ?? '', /"code":-32600/)
    const { finish } = await world.heldCall()
    finish(1)
    assert.match((await next()) ?? '', /"result"/)
  })

  it('cancels a reading tool when its client disconnects', async () => {
    const { endpoint, leave } = await open()
    await world.post(endpoint, { ...PING, method: 'tools/call', params: { name: 'held' } })
    const { signal } = await world.heldCall()
    const broken = new Promise((resolve) => signal.addEventListener('abort', resolve))
    leave()
    await broken
  })

  it('answers HEAD with headers, and opens no session', async () => {
    for (let i = 0; i < 4; i++) assert.equal((await fetch(`${world.url}/mcp/sse`, { method: 'HEAD' })).status, 200)
  })
})

describe('tool protocol, limits of resources', () => {
  it('disconnects a client that does not read its answers', async () => {
    const world = await createMcpWorld({ limits: { behindBytes: 100_000 } })
    const { hostname, port } = new URL(world.url)
    const socket = connect(Number(port), hostname)
    const endpoint = await new Promise<string>((resolve) => {
      let text = ''
      socket.on('data', (piece) => {
        text += piece
        const found = /data: (.+)\n/.exec(text)
        if (found === null) return
        socket.pause()
        resolve(found[1] ?? '')
      })
      socket.write(`GET /mcp/sse HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`)
    })
    let [asked, status] = [0, 0]
    while (asked < 60 && status !== 404) {
      const params = { name: 'page' }
      status = (await world.post(endpoint, { ...PING, id: asked++, method: 'tools/call', params })).status
    }
    assert.equal(status, 404)
    socket.destroy()
    await world.stop()
  })

  it('answers many sessions each on its own stream', async () => {
    const world = await createMcpWorld({ limits: { sessionsOfOne: 100 } })
    const streams = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const next = readEvents(await fetch(`${world.url}/mcp/sse`))
        return { next, endpoint: ((await next()) ?? '').split('data: ')[1] ?? '' }
      }),
    )
    assert.equal(new Set(streams.map(({ endpoint }) => endpoint)).size, 100)
    await Promise.all(streams.map(({ endpoint }, id) => world.post(endpoint, { ...PING, id })))
    const answers = await Promise.all(streams.map(({ next }) => next()))
    answers.forEach((answer, id) => {
      assert.equal(JSON.parse(answer?.split('data: ')[1] ?? '').id, id)
    })
    await world.stop()
  })

  it('limits calls that move money as their endpoint does', async () => {
    const world = await createMcpWorld({ limitScale: 0.05 })
    // biome-ignore lint/suspicious/noExplicitAny: what a client sees
    const pay = async (): Promise<any> => (await world.post('/mcp', { method: 'tools/call', params: { name: 'pay' } }, bearer(ANN))).json()
    for (let i = 0; i < 3; i++) {
      const paying = pay()
      ;(await world.heldCall()).finish({ paid: i })
      assert.equal((await paying).result.structuredContent.paid, i)
    }
    const { isError, content } = (await pay()).result
    assert.equal(isError, true)
    assert.match(content[0].text, /rate limit exceeded: call pay again in \d+ s/)
    await world.stop()
  })

  it('limits the calls in progress in total', async () => {
    const world = await createMcpWorld({ limits: { calls: 1 } })
    const call = () => world.post('/mcp', { method: 'tools/call', params: { name: 'held' } })
    const first = call()
    const { finish } = await world.heldCall()
    assert.match(await (await call()).text(), /too many calls at once/)
    finish(1)
    assert.equal((await first).status, 200)
    await world.stop()
  })

  it('reserves capacity for clients with a token', async () => {
    const world = await createMcpWorld({ limits: { callsOfStrangers: 1, sessionsOfStrangers: 1 } })
    const call = (headers = {}) => world.post('/mcp', { method: 'tools/call', params: { name: 'held' } }, headers)
    const first = call()
    const { finish } = await world.heldCall()
    assert.match(await (await call()).text(), /too many calls at once/)
    const known = call(bearer(ANN))
    ;(await world.heldCall()).finish(2)
    assert.equal((await known).status, 200)
    finish(1)
    assert.equal((await first).status, 200)
    const again = call()
    ;(await world.heldCall()).finish(3)
    assert.equal((await again).status, 200)

    const open = (headers = {}) => world.post('/mcp', INITIALIZE, headers)
    const opened = await open()
    assert.deepEqual([opened.status, (await open()).status, (await open(bearer(ANN))).status], [200, 503, 200])
    const ended = await fetch(`${world.url}/mcp`, {
      method: 'DELETE',
      headers: { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' },
    })
    assert.deepEqual([ended.status, (await open()).status], [200, 200])
    await world.stop()
  })

  it('counts each message of a batch', async () => {
    const world = await createMcpWorld({ limitScale: 5 / 240 })
    const post = (messages: number) => world.post('/mcp', Array(messages).fill(PING))
    const first = await post(3)
    assert.deepEqual([first.status, first.headers.get('ratelimit-remaining')], [200, '2'])
    const refused = await post(4)
    assert.equal(refused.status, 429)
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    assert.equal((await world.post('/mcp', PING)).status, 200)
    await world.stop()
  })
})
