import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createManualClock, createSeededRandom, createSilentLogger, listen, type ManualClock, serverUrl } from '@keelson/runtime'
import type { ClientError, RpcResponseError } from '../client-error.ts'
import { createHttpRpcClient, type HttpRpcClientOptions } from './http-rpc-client.ts'
import type { RpcClient } from './rpc-client.ts'

type Answer = { readonly status?: number; readonly headers?: Record<string, string>; readonly body: unknown }
type Request = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }

describe('JSON-RPC client over HTTP', () => {
  let server: Server
  let url: string
  let received: (Request | Request[])[] = []
  let answer: (body: Request | Request[], headers: IncomingMessage['headers']) => Answer | null
  let clock: ManualClock
  let client: RpcClient

  before(async () => {
    server = createServer(async (request, response: ServerResponse) => {
      let text = ''
      for await (const chunk of request) text += chunk
      const body = JSON.parse(text)
      received.push(body)
      const result = answer(body, request.headers)
      if (result === null) return request.socket.destroy()
      response.writeHead(result.status ?? 200, result.headers ?? {})
      response.end(typeof result.body === 'string' ? result.body : JSON.stringify(result.body))
    })
    url = serverUrl('http', await listen(server, { host: '127.0.0.1', port: 0, purpose: 'a test' }))
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  const create = (options: Partial<HttpRpcClientOptions> = {}) => {
    client?.close()
    clock = createManualClock()
    client = createHttpRpcClient({ url, ...options }, { clock, random: createSeededRandom(1), log: createSilentLogger() })
  }
  beforeEach(() => {
    received = []
    create()
  })
  after(() => client.close())

  const ok = (body: Request | Request[]): Answer => ({
    body: Array.isArray(body)
      ? body.map(({ id, method }) => ({ jsonrpc: '2.0', id, result: method }))
      : { jsonrpc: '2.0', id: body.id, result: body.method },
  })
  const rpcError = (code: number, message: string, data?: unknown) => (body: Request | Request[]) => ({
    body: { jsonrpc: '2.0', id: (body as Request).id, error: { code, message, data } },
  })

  const settle = async <T>(call: Promise<T>): Promise<T> => {
    let done = false
    call.then(
      () => {
        done = true
      },
      () => {
        done = true
      },
    )
    while (!done) await clock.advance(1000)
    return call
  }

  it('asks and answers', async () => {
    answer = ok
    assert.equal(await client.call('eth_chainId', [1, 'a']), 'eth_chainId')
    const [request] = received as Request[]
    assert.deepEqual([request?.method, request?.params], ['eth_chainId', [1, 'a']])
  })

  // Nodes before op-node v1.21.0 sent it beside a result. JSON-RPC 2.0, section 5, forbids it.
  it('takes an answer whose error is null for a success', async () => {
    answer = (body) => ({ body: { jsonrpc: '2.0', id: (body as Request).id, result: null, error: null } })
    assert.equal(await client.call('eth_getBlockByNumber', ['0x1', false]), null)
  })

  it('tries again while the trouble is temporary, with growing pauses', async () => {
    const troubles: Answer[] = [
      { status: 503, body: 'unavailable' },
      { status: 200, body: '<html>' },
      { status: 429, headers: { 'retry-after': '3' }, body: 'slow down' },
    ]
    answer = (body) => troubles.shift() ?? ok(body)
    const call = client.call('m', [])
    assert.equal(await settle(call), 'm')
    assert.equal(received.length, 4)
    // Delays of 125 to 250 ms and 250 to 500 ms, then three seconds.
    assert.ok(clock.nowMs() >= 3375)
  })

  it('gives up after its attempts', async () => {
    answer = () => null
    await assert.rejects(settle(client.call('m', [])), { code: 'client/unreachable', severity: 'temporary' })
    assert.equal(received.length, 4)
  })

  it('asks once when told so, and once for what will not change', async () => {
    answer = () => ({ status: 500, body: '' })
    await assert.rejects(client.call('m', [], { retry: false }), { code: 'client/http-status', severity: 'temporary' })
    assert.equal(received.length, 1)
    answer = rpcError(3, 'execution reverted', '0x1234')
    await assert.rejects(client.call('m', []), (error: RpcResponseError) => {
      assert.deepEqual(
        [error.code, error.severity, error.number, error.text, error.data],
        ['client/rpc', 'critical', 3, 'execution reverted', '0x1234'],
      )
      return true
    })
    assert.equal(received.length, 2)
  })

  it('knows a rate limit and a busy node by their numbers and words', async () => {
    for (const [code, message] of [
      [429, 'x'],
      [-32005, 'x'],
      [-32603, 'x'],
      [-32000, 'rate limit exceeded'],
      [-32602, 'block range extends beyond current head block'],
    ] as const) {
      answer = rpcError(code, message)
      await assert.rejects(client.call('m', [], { retry: false }), { code: 'client/rpc', severity: 'temporary' })
    }
  })

  it('repeats what the other side says about a refused token', async () => {
    create({ headers: async () => ({ authorization: 'Bearer x' }) })
    answer = (_body, headers) => ({ status: 401, body: `refused ${headers.authorization}: clocks differ` })
    await assert.rejects(client.call('m', [], { retry: false }), (error: ClientError) => {
      assert.equal(error.code, 'client/unauthorized')
      assert.match(error.message, /refused Bearer x: clocks differ/)
      return true
    })
  })

  it('never shows the path of the URL', async () => {
    create({ url: `${url}/v2/apikey123?token=apikey123` })
    answer = () => ({ status: 404, body: 'nothing' })
    await assert.rejects(client.call('m', [], { retry: false }), (error: ClientError) => {
      assert.ok(!JSON.stringify([error.message, error.details]).includes('apikey'))
      return true
    })
  })

  it('puts batched answers back in order and repeats only what failed for a while', async () => {
    let limited = true
    answer = (body) => {
      if (!Array.isArray(body)) return ok(body)
      const answers = body.map(({ id, method }) => {
        if (method === 'b' && limited) return { jsonrpc: '2.0', id, error: { code: 429, message: 'slow down' } }
        if (method === 'c') return { jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } }
        return { jsonrpc: '2.0', id, result: method }
      })
      limited = false
      return { body: answers.reverse() }
    }
    const outcomes = await settle(client.batch(['a', 'b', 'c', 'd'].map((method) => ({ method, params: [] }))))
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.ok ? outcome.result : (outcome.error as RpcResponseError).number)),
      ['a', 'b', -32601, 'd'],
    )
    assert.equal(received.length, 2)
  })

  it('reports an answer that is missing from a batch', async () => {
    create({ retry: { attempts: 1 } })
    answer = (body) => (Array.isArray(body) ? { body: (ok(body).body as unknown[]).slice(1) } : { body: { jsonrpc: '2.0', id: body.id } })
    const [first, second] = await client.batch([
      { method: 'a', params: [] },
      { method: 'b', params: [] },
    ])
    assert.ok(first?.ok === false && (first.error as ClientError).code === 'client/bad-answer')
    assert.ok(second?.ok)
  })

  it('finds the batch size a node accepts', async () => {
    answer = (body) =>
      Array.isArray(body) && body.length > 3
        ? { body: { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'batch too large' } } }
        : ok(body)
    const calls = Array.from({ length: 10 }, (_, i) => ({ method: `m${i}`, params: [] }))
    const outcomes = await client.batch(calls)
    assert.deepEqual(
      outcomes.map((outcome) => outcome.ok && outcome.result),
      calls.map(({ method }) => method),
    )
    received = []
    await client.batch(calls)
    assert.ok(received.every((body) => (body as Request[]).length <= 3))
  })

  it('finds the batch size also of a proxy that answers 413, or says no in plain words', async () => {
    for (const refusal of [
      { status: 413, body: '<html>Request Entity Too Large</html>' },
      { status: 400, body: 'batch limit exceeded' },
    ]) {
      create()
      answer = (body) => (Array.isArray(body) && body.length > 4 ? refusal : ok(body))
      const outcomes = await settle(client.batch(Array.from({ length: 9 }, (_, i) => ({ method: `m${i}`, params: [] }))))
      assert.ok(outcomes.length === 9 && outcomes.every((outcome) => outcome.ok))
      received = []
      await client.batch(Array.from({ length: 9 }, (_, i) => ({ method: `m${i}`, params: [] })))
      assert.ok(received.every((body) => !Array.isArray(body) || body.length <= 4))
    }
  })

  it('does not take a rate limit for a batch that is too large', async () => {
    let limited = true
    answer = (body) => {
      if (!limited) return ok(body)
      limited = false
      return { body: { jsonrpc: '2.0', id: null, error: { code: -32005, message: 'rate limit exceeded' } } }
    }
    const calls = Array.from({ length: 8 }, (_, i) => ({ method: `m${i}`, params: [] }))
    const outcomes = await settle(client.batch(calls))
    assert.ok(outcomes.every((outcome) => outcome.ok))
    assert.deepEqual(
      received.map((body) => (body as Request[]).length),
      [8, 8],
    )
  })

  it('works with a node that takes no batches at all', async () => {
    answer = (body) =>
      Array.isArray(body) ? { body: { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'no batches' } } } : ok(body)
    const outcomes = await client.batch(['a', 'b', 'c'].map((method) => ({ method, params: [] })))
    assert.deepEqual(
      outcomes.map((outcome) => outcome.ok && outcome.result),
      ['a', 'b', 'c'],
    )
  })

  it('stays within its rate', async () => {
    create({ rateLimit: { perSec: 2, burst: 1 } })
    answer = ok
    await settle(Promise.all([1, 2, 3].map(() => client.call('m', []))))
    assert.ok(clock.nowMs() >= 1000)
  })

  it('gives up at the signal while it waits for its turn or for the next attempt', async () => {
    answer = () => ({ status: 503, body: '' })
    const retryingCall = new AbortController()
    const call = client.call('m', [], { signal: retryingCall.signal })
    while (clock.sleepers.length === 0) await new Promise((resolve) => setImmediate(resolve))
    retryingCall.abort()
    await assert.rejects(call, { code: 'client/aborted' })
    create({ rateLimit: { perSec: 0.001, burst: 1 } })
    answer = ok
    await client.call('m', [])
    const limited = new AbortController()
    const waiting = client.call('m', [], { signal: limited.signal, retry: false })
    while (clock.sleepers.length === 0) await new Promise((resolve) => setImmediate(resolve))
    limited.abort()
    await assert.rejects(waiting, { code: 'client/aborted' })
  })

  it('gives up a call at its signal and after its time', async () => {
    const silent = createServer(() => undefined)
    const slow = createHttpRpcClient(
      {
        url: serverUrl('http', await listen(silent, { host: '127.0.0.1', port: 0, purpose: 'a test' })),
        timeoutMs: 30,
        retry: { attempts: 1 },
      },
      { clock, random: createSeededRandom(1), log: createSilentLogger() },
    )
    try {
      await assert.rejects(slow.call('m', []), { code: 'client/timeout', severity: 'temporary' })
      const controller = new AbortController()
      const call = slow.call('m', [], { signal: controller.signal, timeoutMs: 60_000 })
      controller.abort()
      await assert.rejects(call, { code: 'client/aborted' })
    } finally {
      slow.close()
      silent.closeAllConnections()
      silent.close()
    }
  })
})
