import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import {
  createRpcServer,
  createSeededRandom,
  createSilentLogger,
  createSystemClock,
  RpcError,
  type RpcMethods,
  type RpcServer,
} from '@keelson/runtime'
import { createRecordingLogger, type RecordingLogger } from '../../../../test/support/recording-logger.ts'
import { createWsRpcClient, type WsRpcClient, type WsRpcClientOptions } from './ws-rpc-client.ts'

const clock = createSystemClock()
const STEP_MS = 5

describe('JSON-RPC client over a WebSocket', () => {
  let server: RpcServer
  let client: WsRpcClient
  let log: RecordingLogger
  let tell: ((result: unknown) => void)[] = []
  let subscriptions = 0

  const methods: RpcMethods = {
    echo: (params) => params,
    eth_chainId: () => Array(60_000).fill({}),
    fail: () => {
      throw new RpcError(-32000, 'no such thing')
    },
    hang: (_params, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('over')))),
    eth_subscribe: (_params, { notify }) => {
      const id = `0x${(++subscriptions).toString(16)}`
      tell.push((result) => notify?.('eth_subscription', { subscription: id, result }))
      return id
    },
  }
  const serve = async (port: number) => {
    const created = createRpcServer(
      { name: 'a node', host: '127.0.0.1', port, http: true, ws: true },
      { methods, log: createSilentLogger(), clock },
    )
    await created.start(new AbortController().signal)
    return created
  }
  const create = (url: string, options: Partial<WsRpcClientOptions> = {}) => {
    log = createRecordingLogger()
    client = createWsRpcClient({ url, retry: { attempts: 1 }, ...options }, { clock, random: createSeededRandom(1), log })
    return client
  }
  const until = async (holds: () => boolean) => {
    for (let i = 0; !holds(); i++) {
      if (i > 1000) assert.fail('it does not come to hold')
      await clock.sleep(STEP_MS)
    }
  }
  beforeEach(async () => {
    tell = []
    server = await serve(0)
  })
  afterEach(async () => {
    client.close()
    await server.stop()
  })

  it('a message larger than any pending answer is not parsed and fails all pending requests', async () => {
    create(server.wsUrl)
    const [bomb, other] = await Promise.allSettled([client.call('eth_chainId', []), client.call('eth_getBalance', [])])
    assert.equal(bomb.status === 'rejected' && bomb.reason.code, 'client/too-large')
    assert.equal(other.status, 'rejected')
    assert.deepEqual(await client.call('echo', [1]), [1], 'the connection stays open')
  })

  it('asks and answers, many at a time, each call counted', async () => {
    const sent: string[] = []
    create(server.wsUrl, { onRequest: (method) => sent.push(method) })
    assert.deepEqual(await client.call('echo', [1]), [1])
    const outcomes = await client.batch([...Array(20).keys()].map((i) => ({ method: i === 3 ? 'fail' : 'echo', params: [i] })))
    assert.deepEqual(
      outcomes.map((outcome) => outcome.ok && (outcome.result as number[])[0]),
      [...Array(20).keys()].map((i) => (i === 3 ? false : i)),
    )
    assert.equal(sent.length, 21)
    await assert.rejects(client.call('fail', []), { code: 'client/rpc', number: -32000 })
  })

  it('gives up after its time, and at the signal', async () => {
    create(server.wsUrl)
    await assert.rejects(client.call('hang', [], { timeoutMs: 20 }), { code: 'client/timeout', severity: 'temporary' })
    const controller = new AbortController()
    const waiting = client.call('hang', [], { signal: controller.signal })
    controller.abort()
    await assert.rejects(waiting, { code: 'client/aborted' })
  })

  it('says that a node cannot be reached, and never the path of its URL', async () => {
    create('ws://127.0.0.1:1/v3/secret-key')
    await assert.rejects(client.call('echo', []), (error: Error) => {
      assert.match(error.message, /127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)/)
      return true
    })
    assert.ok(!JSON.stringify(log.lines).includes('secret-key'))
  })

  it('subscribes to new heads, and once more on each new connection', async () => {
    const heads: unknown[] = []
    create(server.wsUrl, { retry: { attempts: 10, baseDelayMs: 50, maxDelayMs: 200 } })
    client.subscribe('newHeads', (head) => heads.push(head))
    await until(() => client.subscribed)
    tell.at(-1)?.({ number: '0x1' })
    await until(() => heads.length === 1)
    const { port } = new URL(server.wsUrl)
    await server.stop()
    await until(() => !client.subscribed)
    server = await serve(Number(port))
    await until(() => client.subscribed)
    tell.at(-1)?.({ number: '0x2' })
    await until(() => heads.length === 2)
    assert.deepEqual(heads, [{ number: '0x1' }, { number: '0x2' }])
    assert.deepEqual(
      log.lines.map(({ message }) => message),
      ['WebSocket is down, reconnecting', 'WebSocket reconnected'],
    )
    assert.deepEqual(await client.call('echo', [7]), [7])
  })

  it('says so when a node takes no subscription', async () => {
    create(server.wsUrl)
    const { eth_subscribe: _, ...without } = methods
    const plain = createRpcServer(
      { name: 'a node', host: '127.0.0.1', port: 0, http: false, ws: true },
      { methods: without, log: createSilentLogger(), clock },
    )
    await plain.start(new AbortController().signal)
    client.close()
    create(plain.wsUrl).subscribe('newHeads', () => undefined)
    await until(() => log.matching('refused the subscription').length === 1)
    assert.equal(client.subscribed, false)
    await plain.stop()
  })

  it('gives up a connection over which nothing comes', async () => {
    const silent = createServer()
    const sockets: Duplex[] = []
    silent.on('upgrade', (request, socket) => {
      sockets.push(socket)
      const accept = createHash('sha1')
        .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
        .digest('base64')
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      )
    })
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    create(`ws://127.0.0.1:${port}`, { pingIntervalMs: 20 })
    await until(() => log.matching('WebSocket is down').length === 1)
    assert.match(String(log.lines[0]?.fields.reason), /no data received for 40 ms/)
    client.close()
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
})
