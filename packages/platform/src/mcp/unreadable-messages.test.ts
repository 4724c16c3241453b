import assert from 'node:assert/strict'
import fc from 'fast-check'
import { BOTH, createMcpWorld, INITIALIZE, JSON_RPC, type McpWorld, PING, readEvents } from './mcp-world.test-support.ts'

const STRANGE = { ...PING, extra: 1 }

interface Answer {
  readonly id: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

describe('tool protocol, a message with an unknown field', () => {
  let world: McpWorld
  beforeEach(async () => {
    world = await createMcpWorld()
  })
  afterEach(() => world.stop())

  const ask = async <T = Answer>(path: string, body: unknown, headers = {}): Promise<T> => {
    const response = await world.post(path, body, headers)
    assert.equal(response.status, 200)
    return (await response.json()) as T
  }
  const outcome = ({ id, error, result }: Answer) => [id, error?.code ?? result]

  for (const path of ['/mcp/messages', '/mcp'])
    it(`is answered with -32600 at ${path}, with its id or null`, async () => {
      for (const [body, id] of [
        [{ ...STRANGE, id: 7 }, 7],
        [{ ...STRANGE, id: 'seven' }, 'seven'],
        [{ ...STRANGE, result: {} }, 1],
        [{ method: 'tools/list', extra: 1 }, null],
        [{ ...JSON_RPC, method: 'notifications/initialized', ID: 7 }, null],
        [{ ...INITIALIZE, extra: 1 }, 'first'],
      ]) {
        const answer = await ask(path, body)
        assert.deepEqual(outcome(answer), [id, -32600], JSON.stringify(body))
        assert.match(answer.error?.message ?? '', /unknown field "(extra|result|ID)".*jsonrpc, id, method and params/)
      }
    })

  it('is refused in a batch whose other messages are answered', async () => {
    const answers = await ask<Answer[]>('/mcp', [
      PING,
      { ...STRANGE, id: 2 },
      { ...JSON_RPC, method: 'notifications/x' },
      { ...PING, id: 3 },
    ])
    assert.deepEqual(answers.map(outcome), [
      [1, {}],
      [2, -32600],
      [3, {}],
    ])
  })

  it('is refused on the event stream, and does not count as in progress', async () => {
    const next = readEvents(await fetch(`${world.url}/mcp/sse`))
    const endpoint = ((await next()) ?? '').split('data: ')[1] ?? ''
    const read = async () => JSON.parse(((await next()) ?? '').split('data: ')[1] ?? '') as Answer
    for (let id = 0; id < 20; id++) {
      assert.equal((await world.post(endpoint, { ...STRANGE, id })).status, 202)
      assert.deepEqual(outcome(await read()), [id, -32600])
    }
    assert.equal((await world.post(endpoint, { ...JSON_RPC, method: 'ping', ID: 1 })).status, 202)
    assert.deepEqual(outcome(await read()), [null, -32600])
    assert.equal((await world.post(endpoint, PING)).status, 202)
    assert.deepEqual(outcome(await read()), [1, {}])
  })

  it('is refused in a Streamable HTTP session, and does not count as in progress', async () => {
    const opened = await world.post('/mcp', INITIALIZE, BOTH)
    const own = { ...BOTH, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
    for (let id = 0; id < 20; id++) assert.deepEqual(outcome(await ask('/mcp', { ...STRANGE, id }, own)), [id, -32600])
    const events = readEvents(await world.post('/mcp', [STRANGE, { ...PING, id: 2 }], { ...own, accept: 'text/event-stream' }))
    assert.match((await events()) ?? '', /"id":1,"error":\{"code":-32600/)
    assert.match((await events()) ?? '', /"id":2/)
    assert.deepEqual(outcome(await ask('/mcp', PING, own)), [1, {}])
  })

  it('opens no session when it is an initialize', async () => {
    const small = await createMcpWorld({ limits: { sessionsOfOne: 1 } })
    for (const accept of [BOTH.accept, 'text/event-stream']) {
      const refused = await small.post('/mcp', { ...INITIALIZE, extra: 1 }, { accept })
      assert.match(await refused.text(), /-32600/)
    }
    assert.equal((await small.post('/mcp', INITIALIZE, BOTH)).status, 200)
    await small.stop()
  })
})

describe('tool protocol, messages of any content', () => {
  it('are all answered, whatever their params and fields contain', async () => {
    const world = await createMcpWorld({ limitScale: 100 })
    const method = fc.constantFrom('ping', 'initialize', 'tools/list', 'tools/call', 'tasks/get', 'completion/complete', 'notifications/x')
    const anything = fc.jsonValue({ maxDepth: 2 })
    const params = fc.dictionary(fc.constantFrom('_meta', 'task', 'name', 'arguments', 'cursor', 'requestId'), anything)
    const message = fc.record({ method, params }, { requiredKeys: ['method'] })
    const whole = fc.tuple(message, fc.dictionary(fc.constantFrom('result', 'error', 'extra', '_meta'), anything, { maxKeys: 1 }))
    await fc.assert(
      fc.asyncProperty(whole, async ([sent, more]) => {
        const response = await world.post('/mcp/messages', { ...more, ...sent, ...JSON_RPC, id: 9 })
        assert.equal(response.status, 200)
        const { id, result, error } = (await response.json()) as Answer
        assert.equal(id, 9)
        assert.ok((result === undefined) !== (error === undefined))
      }),
    )
    await world.stop()
  })
})
