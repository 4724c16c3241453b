import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type ClientRequest, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { JsonRpcProvider } from 'ethers'
import { createPublicClient, http } from 'viem'
import { WebSocket } from 'ws'
import { createManualClock, createSystemClock } from '../clock.ts'
import { createReadiness } from '../health/readiness.ts'
import { type IpNetwork, parseIpNetwork } from '../http/ip-address.ts'
import { createSilentLogger } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import type { TokenBucketOptions } from '../token-bucket.ts'
import { type ApiKeys, apiKeyDigest, decodeApiKeys, NO_API_KEYS } from './access/api-keys.ts'
import { createRpcAccess, type RpcAccessOptions } from './access/rpc-access.ts'
import type { RpcMethods } from './rpc-method.ts'
import { createRpcServer, type RpcServer, type RpcServerDependencies, type RpcServerOptions } from './rpc-server.ts'

const log = createSilentLogger()
let notify: ((value: string) => boolean) | undefined
const methods: RpcMethods = {
  net_version: () => '84532',
  echo: (params) => params,
  big: ([size]) => 'x'.repeat(Number(size)),
  subscribe: (_params, context) => {
    notify = (value) => context.notify?.('eth_subscription', value) === true
    return '0x1'
  },
}
const call = (method: string, params: unknown[] = [], id: unknown = 1) => JSON.stringify({ jsonrpc: '2.0', id, method, params })
const network = (text: string) => parseIpNetwork(text) as IpNetwork

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

async function answerOf(request: ClientRequest): Promise<Answer> {
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }
}

/** Node's own client, which adds no header by itself. */
function post(server: RpcServer, body: string, headers: Record<string, string> = {}, path = '/', agent?: Agent): Promise<Answer> {
  const request = httpRequest(`${server.httpUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    ...(agent === undefined ? {} : { agent }),
  })
  request.end(body)
  return answerOf(request)
}

describe('the front door of the RPC', () => {
  const servers: RpcServer[] = []
  const opened: (Socket | WebSocket | Agent)[] = []
  const serve = async (
    options: Partial<RpcServerOptions> = {},
    access: (Partial<RpcAccessOptions> & { anonymous?: TokenBucketOptions; keys?: () => ApiKeys }) | null = {},
    others: Partial<RpcServerDependencies> = {},
  ) => {
    const clock = createManualClock()
    const { anonymous, keys = () => NO_API_KEYS, ...rules } = access ?? {}
    const dependencies = { clock, keys, ...(anonymous === undefined ? {} : { anonymous: () => anonymous }) }
    const server = createRpcServer(
      { name: 'test RPC', host: '127.0.0.1', port: 0, ...options },
      {
        methods,
        log,
        clock,
        ...(access === null ? {} : { access: createRpcAccess({ trusted: [], proxies: [], ...rules }, dependencies) }),
        ...others,
      },
    )
    await server.start(new AbortController().signal)
    servers.push(server)
    return { server, clock }
  }
  afterEach(async () => {
    for (const each of opened.splice(0)) each instanceof WebSocket ? each.terminate() : each.destroy()
    await Promise.all(servers.splice(0).map((server) => server.stop()))
  })

  const raw = async (server: RpcServer): Promise<{ socket: Socket; text: () => string; closed: Promise<unknown> }> => {
    const socket = connect(server.address.port, '127.0.0.1')
    opened.push(socket)
    let text = ''
    socket.on('data', (chunk) => {
      text += String(chunk)
    })
    socket.on('error', () => undefined)
    const closed = once(socket, 'close')
    await once(socket, 'connect')
    return { socket, text: () => text, closed }
  }
  const openSocket = async (server: RpcServer, path = '', headers: Record<string, string> = {}) => {
    const socket = new WebSocket(server.wsUrl + path, { headers })
    opened.push(socket)
    await once(socket, 'open')
    return socket
  }
  interface Message {
    readonly id?: unknown
    readonly result?: unknown
    readonly error?: { readonly code: number; readonly message: string }
  }
  /** All that comes in from now on, in order. */
  const reader = (socket: WebSocket): (() => Promise<Message>) => {
    const messages: Message[] = []
    const waiters: (() => void)[] = []
    socket.on('message', (data) => {
      messages.push(JSON.parse(String(data)) as Message)
      for (const wake of waiters.splice(0)) wake()
    })
    return async () => {
      while (messages.length === 0) await new Promise<void>((resolve) => waiters.push(resolve))
      return messages.shift() as Message
    }
  }

  describe('over HTTP', () => {
    it('lets 150 calls of an address in at once, and answers the next with 429 in both places', async () => {
      const { server, clock } = await serve({ origins: ['*'] })
      const batch = (size: number) => JSON.stringify(Array.from({ length: size }, (_, i) => ({ jsonrpc: '2.0', id: i, method: 'echo' })))
      assert.equal((await post(server, batch(149))).status, 200)
      assert.equal((await post(server, call('echo'))).status, 200)
      const refused = await post(server, call('echo', [], 'mine'), { origin: 'https://dapp.example' })
      assert.equal(refused.status, 429)
      assert.equal(refused.headers['retry-after'], '01')
      assert.equal(refused.headers['access-control-allow-origin'], '*')
      assert.equal(refused.headers['access-control-expose-headers'], 'retry-after')
      const { id, error } = JSON.parse(String(refused.body))
      assert.deepEqual([id, error.code], ['mine', 429])
      await clock.advance(500)
      const batchRefused = await post(server, batch(51))
      assert.equal(batchRefused.status, 429)
      assert.deepEqual(
        JSON.parse(String(batchRefused.body)).map((item: { id: number; error: { code: number } }) => [item.id, item.error.code]),
        Array.from({ length: 51 }, (_, i) => [i, 429]),
      )
      assert.equal((await post(server, batch(50))).status, 200)
      await clock.advance(1_400)
      assert.equal((await post(server, batch(150))).headers['retry-after'], '01')
      await clock.advance(100)
      assert.equal((await post(server, batch(150))).status, 200)
      await clock.advance(10)
      const never = await post(server, batch(151))
      assert.deepEqual([never.status, JSON.parse(String(never.body))[0].error.code], [200, -32600])
    })

    it('says when to come again, in seconds', async () => {
      const { server } = await serve({}, { anonymous: { perSec: 0.1, burst: 1 } })
      await post(server, call('echo'))
      assert.equal((await post(server, call('echo'))).headers['retry-after'], '010')
    })

    it('takes a key by path or header, and answers 401 to a wrong one', async () => {
      const decoded = decodeApiKeys(JSON.stringify({ keys: [{ name: 'a', tier: 'developer', sha256: apiKeyDigest('s3cret') }] }))
      assert.ok(decoded.ok)
      const { keys } = decoded
      const { server } = await serve({}, { anonymous: { perSec: 1, burst: 5 }, keys: () => keys })
      const ten = JSON.stringify(Array.from({ length: 10 }, () => ({ jsonrpc: '2.0', id: 1, method: 'echo' })))
      assert.equal(JSON.parse(String((await post(server, ten, {}, '/v1/s3cret')).body)).length, 10)
      assert.equal((await post(server, ten, { authorization: 'Bearer s3cret' }, '/?query=1')).status, 200)
      const refused = await post(server, call('echo'), {}, '/v1/other')
      assert.equal(refused.status, 401)
      assert.equal(refused.headers['www-authenticate'], 'Bearer')
      assert.deepEqual(JSON.parse(String(refused.body)), {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32600, message: 'unknown API key: check it, or call without a key at the anonymous rate' },
      })
      assert.equal((await post(server, call('echo'), {}, '/elsewhere')).status, 404)
    })

    it('goes by X-Forwarded-For of its proxies only', async () => {
      const anonymous = { perSec: 0.001, burst: 1 }
      const statuses = async (server: RpcServer) => {
        const found: number[] = []
        for (const client of ['203.0.113.1', '203.0.113.2', '203.0.113.1']) {
          const headers = { 'x-forwarded-for': client, 'x-real-ip': '127.0.0.1', forwarded: 'for=127.0.0.1' }
          found.push((await post(server, call('echo'), headers)).status)
        }
        return found
      }
      assert.deepEqual(await statuses((await serve({}, { anonymous })).server), [200, 429, 429])
      assert.deepEqual(await statuses((await serve({}, { anonymous, proxies: [network('127.0.0.1')] })).server), [200, 200, 429])
      assert.deepEqual(await statuses((await serve({}, { anonymous, trusted: [network('127.0.0.0/8')] })).server), [200, 200, 200])
    })

    it('keeps a connection for the next request, also after a refusal', async () => {
      const { server } = await serve({ connections: { keepAliveMs: 60_000 } }, { anonymous: { perSec: 0.001, burst: 2 } })
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      opened.push(agent)
      const ports = new Set<number>()
      agent.on('free', (socket: Socket) => ports.add(socket.localPort as number))
      const answers: Answer[] = []
      for (let i = 0; i < 4; i++) answers.push(await post(server, call('echo'), {}, '/', agent))
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 429, 429],
      )
      assert.match(String(answers[0]?.headers['keep-alive']), /timeout=60/)
      assert.equal(ports.size, 1)
    })

    it('compresses large answers for those who ask', async () => {
      const { server } = await serve({ gzip: true }, null)
      const plain = await post(server, call('big', [5000]))
      assert.deepEqual(
        [plain.headers['content-encoding'], plain.headers.vary, plain.body.length > 5000],
        [undefined, 'accept-encoding', true],
      )
      const small = await post(server, call('big', [500]), { 'accept-encoding': 'gzip' })
      assert.equal(small.headers['content-encoding'], undefined)
      const compressed = await post(server, call('big', [5000]), { 'accept-encoding': 'gzip, deflate, br', origin: 'https://x.example' })
      assert.equal(compressed.headers['content-encoding'], 'gzip')
      assert.equal(Number(compressed.headers['content-length']), compressed.body.length)
      assert.ok(compressed.body.length < 500)
      assert.equal(JSON.parse(gunzipSync(compressed.body).toString()).result.length, 5000)
      // the client that browsers and Node have built in asks for it by itself
      const response = await fetch(server.httpUrl, {
        method: 'POST',
        body: call('big', [5000]),
        headers: { 'content-type': 'application/json' },
      })
      assert.equal(((await response.json()) as { result: string }).result.length, 5000)
      const { server: without } = await serve({}, null)
      assert.equal((await post(without, call('big', [5000]), { 'accept-encoding': 'gzip' })).headers['content-encoding'], undefined)
    })

    it('answers load balancers with the state of the node, without limit and without its reasons', async () => {
      let ok = true
      const clock = createManualClock()
      const check = () => (ok ? { ok } : { ok, reason: 'no block for 90 s', remedy: 'look at /secret/path' })
      const readiness = createReadiness([{ name: 'head-age', check }], { clock, log })
      const { server } = await serve({ http: false, ws: true }, { anonymous: { perSec: 0.001, burst: 1 } }, { readiness, clock })
      const get = async (path: string) => {
        const request = httpRequest(server.httpUrl + path, { headers: { host: 'balancer.example' } })
        request.end()
        const { status, body } = await answerOf(request)
        return [status, String(body)]
      }
      for (let i = 0; i < 5; i++) assert.deepEqual(await get('/health'), [200, '{"status":"ok"}\n'])
      ok = false
      assert.deepEqual(await get('/readyz'), [200, '{"status":"ok"}\n'])
      await clock.advance(1000)
      assert.deepEqual(await get('/readyz'), [503, '{"status":"not ready","failing":["head-age"]}\n'])
      assert.deepEqual(await get('/livez'), [200, '{"status":"ok"}\n'])
      assert.equal((await get('/'))[0], 426)
    })
  })

  describe('against slow and greedy clients', () => {
    it('does not wait long for headers or for a body', async () => {
      const { server } = await serve({ connections: { headersTimeoutMs: 300, requestTimeoutMs: 600 } })
      const silent = await raw(server)
      const dripping = await raw(server)
      dripping.socket.write('POST / HTTP/1.1\r\nhost: localhost\r\n')
      const drip = setInterval(() => dripping.socket.write('x-a: b\r\n'), 50)
      const halfBody = await raw(server)
      halfBody.socket.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{')
      await Promise.all([silent.closed, dripping.closed, halfBody.closed])
      clearInterval(drip)
      assert.match(dripping.text(), /^HTTP\/1\.1 408 /)
      assert.match(halfBody.text(), /^HTTP\/1\.1 408 /)
    })

    it('does not wait long for an answer to be taken', async () => {
      const { server } = await serve({ connections: { writeTimeoutMs: 300, maxMemoryBytes: 20_000_000 } }, null)
      const lazy = await raw(server)
      lazy.socket.pause()
      const body = call('big', [15_000_000])
      lazy.socket.write(
        `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      )
      const other = () => post(server, call('big', [10_000_000])).then(({ status }) => status)
      while ((await other()) !== 503) await new Promise((resolve) => setImmediate(resolve))
      while ((await other()) !== 200) await new Promise((resolve) => setImmediate(resolve))
      lazy.socket.resume()
      await lazy.closed
      assert.ok(lazy.text().length < 15_000_000)
    })

    it('gives one address only so many connections, and trusted ones as many as they like', async () => {
      const { server } = await serve({ connections: { maxPerAddress: 2 } })
      const first = await raw(server)
      await raw(server)
      const refused = await raw(server)
      await refused.closed
      assert.match(refused.text(), /^HTTP\/1\.1 503 .*retry-after: 01\r\n.*2 connections open/s)
      first.socket.destroy()
      await first.closed
      const answered = async () => {
        try {
          return (await post(server, call('echo'))).status
        } catch {
          return 'cut'
        }
      }
      while ((await answered()) !== 200) await new Promise((resolve) => setImmediate(resolve))
      const { server: open } = await serve({ connections: { maxPerAddress: 1 } }, { trusted: [network('127.0.0.1')] })
      await raw(open)
      assert.equal((await post(open, call('echo'))).status, 200)
    })

    it('holds only so many bytes of requests and answers in all', async () => {
      const { server } = await serve({ connections: { maxMemoryBytes: 10_000 } }, null)
      const holder = httpRequest(server.httpUrl, { method: 'POST', headers: { 'content-type': 'application/json' } })
      holder.write(' '.repeat(6_000))
      let refused: Answer
      do refused = await post(server, call('echo', ['x'.repeat(5_000)]))
      while (refused.status === 200)
      assert.equal(refused.status, 503)
      assert.equal(refused.headers['retry-after'], '01')
      holder.end(call('echo', ['late']))
      assert.match(String((await answerOf(holder)).body), /late/)
      assert.equal((await post(server, call('big', [20_000]))).status, 503)
      for (let i = 0; i < 20; i++) assert.equal((await post(server, call('echo', ['x'.repeat(4_000)]))).status, 200)
    })
  })

  describe('over WebSocket', () => {
    it('counts every message, and answers 429 as JSON-RPC under the id of the call', async () => {
      const { server, clock } = await serve({ ws: true }, { anonymous: { perSec: 1, burst: 2 } })
      const socket = await openSocket(server)
      const next = reader(socket)
      const ask = (text: string) => {
        socket.send(text)
        return next()
      }
      assert.equal((await ask(call('subscribe'))).result, '0x1')
      for (let i = 0; i < 10; i++) assert.equal(notify?.('free of charge'), true)
      for (let i = 0; i < 10; i++) assert.equal((await next()).id, undefined)
      assert.deepEqual((await ask(call('echo'))).result, [])
      const refused = await ask(call('echo', [], 77))
      assert.deepEqual([refused.id, refused.error?.code], [77, 429])
      // the same budget as over HTTP
      assert.equal((await post(server, call('echo'))).status, 429)
      await clock.advance(1000)
      assert.deepEqual((await ask(call('echo'))).result, [])
    })

    it('takes a key with the handshake, and hangs up when it is withdrawn', async () => {
      const decoded = decodeApiKeys(JSON.stringify({ keys: [{ name: 'a', tier: 'developer', sha256: apiKeyDigest('s3cret') }] }))
      assert.ok(decoded.ok)
      let { keys } = decoded
      const { server } = await serve({ ws: true }, { anonymous: { perSec: 0.001, burst: 3 }, keys: () => keys })
      const refused = new WebSocket(`${server.wsUrl}/v1/wrong`)
      assert.match(((await once(refused, 'error')) as [Error])[0].message, /401/)
      const lost = new WebSocket(`${server.wsUrl}/elsewhere`)
      assert.match(((await once(lost, 'error')) as [Error])[0].message, /404/)
      for (const socket of [await openSocket(server, '/v1/s3cret'), await openSocket(server, '', { authorization: 'Bearer s3cret' })]) {
        const next = reader(socket)
        for (let i = 0; i < 5; i++) socket.send(call('echo'))
        for (let i = 0; i < 5; i++) assert.deepEqual((await next()).result, [])
      }
      const socket = await openSocket(server, '/v1/s3cret')
      keys = NO_API_KEYS
      socket.send(call('echo'))
      const [code, reason] = (await once(socket, 'close')) as [number, Buffer]
      assert.deepEqual([code, /unknown API key/.test(String(reason))], [1008, true])
    })

    it('closes a client whose notifications pile up, and says why', async () => {
      const { server } = await serve({ ws: true, socketLimits: { maxBufferedBytes: 200_000 } })
      const socket = await openSocket(server)
      const next = reader(socket)
      socket.send(call('subscribe'))
      await next()
      socket.pause()
      let sent = 0
      while (notify?.('x'.repeat(50_000)) === true) {
        assert.ok(++sent < 10_000)
        await new Promise((resolve) => setImmediate(resolve))
      }
      assert.ok(sent > 0)
      const closing = once(socket, 'close')
      socket.resume()
      const [code, reason] = (await closing) as [number, Buffer]
      assert.equal(code, 1008)
      assert.match(String(reason), /reads too slowly: more than 200000 bytes would wait/)
    })

    it('answers a client that asks for more than may be queued, one after the other', async () => {
      const { server } = await serve({ ws: true, socketLimits: { maxBufferedBytes: 100_000 } })
      const socket = await openSocket(server)
      const next = reader(socket)
      for (let i = 0; i < 10; i++) socket.send(call('big', [3_000_000], i))
      for (let i = 0; i < 10; i++) assert.equal(String((await next()).result).length, 3_000_000)
      assert.equal(socket.readyState, WebSocket.OPEN)
    })

    it('closes a client that lets too many answers wait', async () => {
      const { server } = await serve({ ws: true, limits: { maxResponseBytes: 1_000_000 } })
      const socket = await openSocket(server)
      const closing = once(socket, 'close')
      for (let i = 0; i < 30; i++) socket.send(call('big', [900_000], i))
      assert.equal(((await closing) as [number])[0], 1008)
    })

    it('gives one client only so many connections', async () => {
      const { server } = await serve({ ws: true, socketLimits: { maxConnectionsPerClient: 2 } })
      const first = await openSocket(server)
      await openSocket(server)
      const third = await openSocket(server)
      assert.deepEqual(((await once(third, 'close')) as [number])[0], 1013)
      first.terminate()
      for (let open = false; !open; ) {
        const next = await openSocket(server)
        next.send(call('echo'))
        open = (await Promise.race([once(next, 'message').then(() => 'message'), once(next, 'close').then(() => 'close')])) === 'message'
      }
    })
  })

  describe('with libraries as they come', () => {
    const CALLS = 100
    const busy = async () => {
      const clock = createSystemClock()
      const metrics = createMetrics('test')
      const access = createRpcAccess({ trusted: [], proxies: [] }, { clock, anonymous: () => ({ perSec: 50, burst: 40 }) })
      const { server } = await serve({}, null, { clock, access, metrics })
      const refused = async () => Number(/rpc_refused_total\{.*\} (\d+)/.exec((await metrics.render()).text)?.[1] ?? 0)
      return { url: server.httpUrl, refused }
    }

    it('viem gets all its answers in the end', async () => {
      const { url, refused } = await busy()
      const client = createPublicClient({ transport: http(url) })
      const answers = await Promise.all(Array.from({ length: CALLS }, () => client.request({ method: 'net_version' })))
      assert.ok(answers.every((answer) => String(answer) === '84532'))
      assert.ok((await refused()) > 0)
    })

    it('ethers gets all its answers in the end', async () => {
      const { url, refused } = await busy()
      const provider = new JsonRpcProvider(url, 84532, { staticNetwork: true, batchMaxCount: 1 })
      const answers = await Promise.all(Array.from({ length: CALLS }, () => provider.send('net_version', [])))
      provider.destroy()
      assert.ok(answers.every((answer) => String(answer) === '84532'))
      assert.ok((await refused()) > 0)
    })
  })
})
