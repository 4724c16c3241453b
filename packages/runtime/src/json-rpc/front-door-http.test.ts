import assert from 'node:assert/strict'
import { Agent, request as httpRequest } from 'node:http'
import type { Socket } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { createManualClock } from '../clock.ts'
import { createReadiness } from '../health/readiness.ts'
import { type IpNetwork, parseIpNetwork } from '../http/ip-address.ts'
import { createSilentLogger } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import {
  type Answer,
  answerOf,
  call,
  closeFrontDoors,
  closeLater,
  oneKey,
  post,
  rawConnection,
  serveFrontDoor,
} from './front-door.test-support.ts'
import type { RpcServer } from './rpc-server.ts'

const network = (text: string) => parseIpNetwork(text) as IpNetwork

describe('the front door of the RPC, over HTTP', () => {
  afterEach(closeFrontDoors)

  it('admits 150 calls of an address at once, and answers the next with 429 as status and error number', async () => {
    const { server, clock } = await serveFrontDoor({ origins: ['*'] })
    const batch = (size: number) => JSON.stringify(Array.from({ length: size }, (_, i) => ({ jsonrpc: '2.0', id: i, method: 'echo' })))
    assert.equal((await post(server, batch(149))).status, 200)
    assert.equal((await post(server, call('echo'))).status, 200)
    const refused = await post(server, call('echo', [], 'mine'), { origin: 'https://dapp.example' })
    assert.equal(refused.status, 429)
    assert.equal(refused.headers['retry-after'], '1')
    assert.equal(refused.headers['access-control-allow-origin'], '*')
    assert.equal(refused.headers['access-control-expose-headers'], 'retry-after, x-keelson-block')
    const { id, error } = JSON.parse(String(refused.body))
    assert.deepEqual([id, error.code], [null, 429], 'nobody has read its id')
    await clock.advance(500)
    const batchRefused = await post(server, batch(51))
    assert.equal(batchRefused.status, 429)
    assert.deepEqual(
      JSON.parse(String(batchRefused.body)).map((item: { id: number; error: { code: number } }) => [item.id, item.error.code]),
      Array.from({ length: 51 }, (_, i) => [i, 429]),
    )
    assert.equal((await post(server, batch(49))).status, 200, 'the refused batch was parsed, for one token')
    await clock.advance(1_400)
    assert.equal((await post(server, batch(150))).headers['retry-after'], '1')
    await clock.advance(110)
    assert.equal((await post(server, batch(150))).status, 200)
    await clock.advance(10)
    const never = await post(server, batch(151))
    assert.deepEqual([never.status, JSON.parse(String(never.body))[0].error.code], [200, -32600])
  })

  it('refuses a flood of a caller without tokens from the headers alone', async () => {
    const metrics = createMetrics('flood')
    const { server } = await serveFrontDoor({}, { anonymous: { perSec: 0.001, burst: 1 } }, { metrics })
    assert.equal((await post(server, call('echo'))).status, 200)
    const withoutBody = await rawConnection(server)
    const head = 'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n'
    withoutBody.socket.write(`${head}content-length: 1000000\r\n\r\n`)
    await withoutBody.closed
    assert.match(withoutBody.text(), /^HTTP\/1\.1 429 .*retry-after: /s)
    const agent = closeLater(new Agent({ keepAlive: true, maxSockets: 1 }))
    const sockets = new Set<Socket>()
    for (let i = 0; i < 50; i++) {
      const request = httpRequest(server.httpUrl, { method: 'POST', agent, headers: { 'content-type': 'application/json' } })
      request.once('socket', (socket) => sockets.add(socket))
      const body = call('echo')
      request.setHeader('content-length', body.length)
      request.end(body)
      assert.equal((await answerOf(request)).status, 429)
    }
    assert.equal(sockets.size, 1, 'a small body is discarded, and the connection kept')
    const refused = (await metrics.render()).text.split('\n').filter((line) => line.startsWith('flood_rpc_refused_total{'))
    assert.deepEqual(refused, ['flood_rpc_refused_total{tier="anonymous",class="unread"} 51'])
  })

  it('returns the wait in seconds', async () => {
    const { server } = await serveFrontDoor({}, { anonymous: { perSec: 0.1, burst: 1 } })
    await post(server, call('echo'))
    assert.equal((await post(server, call('echo'))).headers['retry-after'], '10')
  })

  it('takes a key by path or header, and answers 401 to a wrong one', async () => {
    const keys = oneKey('s3cret')
    const { server } = await serveFrontDoor({}, { anonymous: { perSec: 1, burst: 5 }, keys: () => keys })
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

  it('uses X-Forwarded-For from its proxies and from trusted networks, such as the server of the pages, only', async () => {
    const anonymous = { perSec: 0.001, burst: 1 }
    const statuses = async (server: RpcServer) => {
      const found: number[] = []
      for (const client of ['203.0.113.1', '203.0.113.2', '203.0.113.1']) {
        const headers = { 'x-forwarded-for': client, 'x-real-ip': '127.0.0.1', forwarded: 'for=127.0.0.1' }
        found.push((await post(server, call('echo'), headers)).status)
      }
      return found
    }
    assert.deepEqual(await statuses((await serveFrontDoor({}, { anonymous })).server), [200, 429, 429])
    assert.deepEqual(await statuses((await serveFrontDoor({}, { anonymous, proxies: [network('127.0.0.1')] })).server), [200, 200, 429])
    assert.deepEqual(await statuses((await serveFrontDoor({}, { anonymous, trusted: [network('127.0.0.0/8')] })).server), [200, 200, 429])
  })

  it('reads at most 1 MB from an untrusted caller, and more from the holder of a key', async () => {
    const { server } = await serveFrontDoor({}, { keys: () => oneKey('s3cret') })
    const body = (bytes: number) => call('echo').padEnd(bytes)
    const limit = 1024 * 1024
    assert.equal((await post(server, body(limit))).status, 200)
    const refused = await post(server, body(limit + 1))
    assert.deepEqual([refused.status, /larger than 1048576 bytes/.test(String(refused.body))], [413, true])
    assert.equal((await post(server, body(limit + 1), { authorization: 'Bearer s3cret' })).status, 200)
    assert.equal((await post((await serveFrontDoor({}, null)).server, body(limit + 1))).status, 200)
  })

  it('keeps a connection for the next request, also after a refusal', async () => {
    const { server } = await serveFrontDoor({ connections: { keepAliveMs: 60_000 } }, { anonymous: { perSec: 0.001, burst: 2 } })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    closeLater(agent)
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

  it('compresses large responses for clients that accept it', async () => {
    const { server } = await serveFrontDoor({ gzip: true }, null)
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
    // Node's built-in client requests gzip by itself.
    const response = await fetch(server.httpUrl, {
      method: 'POST',
      body: call('big', [5000]),
      headers: { 'content-type': 'application/json' },
    })
    assert.equal(((await response.json()) as { result: string }).result.length, 5000)
    const { server: without } = await serveFrontDoor({}, null)
    assert.equal((await post(without, call('big', [5000]), { 'accept-encoding': 'gzip' })).headers['content-encoding'], undefined)
  })

  it('reports readiness to load balancers, without rate limit, with the reasons that are public', async () => {
    let ok = true
    const clock = createManualClock()
    const fails = (reason: string) => () => (ok ? { ok } : { ok, reason })
    const checks = [
      { name: 'head-age', isPublic: true, check: fails('head 7 is 90 s old') },
      { name: 'disk', check: fails('the disk of /secret/path is full') },
    ]
    const readiness = createReadiness(checks, { clock, log: createSilentLogger() })
    const { server } = await serveFrontDoor({ http: false, ws: true }, { anonymous: { perSec: 0.001, burst: 1 } }, { readiness, clock })
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
    assert.deepEqual(await get('/readyz'), [
      503,
      '{"status":"not ready","failing":["head-age","disk"],"reasons":{"head-age":"head 7 is 90 s old (since 1970-01-01T00:00:01Z)"}}\n',
    ])
    assert.deepEqual(await get('/livez'), [200, '{"status":"ok"}\n'])
    assert.equal((await get('/'))[0], 426)
  })
})
