import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createSystemClock } from '../clock.ts'
import { createHealthServer, type HealthLimits, type HealthServer } from '../health/health-server.ts'
import { createReadiness } from '../health/readiness.ts'
import { createRpcServer, type RpcServer } from '../json-rpc/rpc-server.ts'
import { createSilentLogger } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { Secret } from '../secret.ts'

const clock = createSystemClock()
const log = createSilentLogger()

describe('slow and many connections', () => {
  const sockets: Socket[] = []
  let server: HealthServer | RpcServer
  let stopping: AbortController
  beforeEach(() => {
    stopping = new AbortController()
  })
  afterEach(async () => {
    stopping.abort()
    for (const socket of sockets.splice(0)) socket.destroy()
    await server.stop()
  })

  /** 127.0.0.2 counts as a remote address. */
  const open = async (url: string, text: string, localAddress = '127.0.0.2') => {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress })
    sockets.push(socket)
    let answer = ''
    socket.on('data', (data) => {
      answer += String(data)
    })
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    socket.write(text)
    return { socket, answer: () => answer }
  }
  const health = async (limits: Partial<HealthLimits>) => {
    const dependencies = { metrics: createMetrics('role'), readiness: createReadiness([], { clock, log }), clock, log }
    server = createHealthServer({ host: '127.0.0.1', port: 0, virtualHosts: [], limits }, dependencies)
    await server.start(stopping.signal)
    return (server as HealthServer).url
  }
  const answered = async (url: string) => {
    const status = () =>
      fetch(`${url}/livez`, { signal: AbortSignal.timeout(1_000) }).then(
        (response) => response.status,
        () => 'cut',
      )
    while (!stopping.signal.aborted && (await status()) !== 200) await new Promise((resolve) => setImmediate(resolve))
  }

  it('unfinished requests do not block a supervisor on the health port', async () => {
    const url = await health({ maxPerAddress: 100, requestTimeoutMs: 300 })
    for (let i = 0; i < 100; i++) await open(url, 'GET /readyz HTTP/1.1\r\nhost: localhost\r\nx-a: ')
    await answered(url)
  })

  it('one address cannot take all connections of the health port', async () => {
    const url = await health({ maxConnections: 5, maxPerAddress: 2 })
    for (let i = 0; i < 2; i++) await open(url, 'GET /')
    const third = await open(url, 'GET /readyz HTTP/1.1\r\nhost: localhost\r\n\r\n')
    await once(third.socket, 'close')
    assert.match(third.answer(), /^HTTP\/1\.1 503 .*limit of 2 open connections/s)
    await answered(url)
  })

  it('one address cannot take all connections of a port behind a token', async () => {
    const options = {
      name: 'engine API',
      host: '127.0.0.1',
      port: 0,
      jwtSecret: new Secret(new Uint8Array(32)),
      connections: { maxPerAddress: 2 },
    }
    const rpc = createRpcServer(options, { methods: {}, log, clock })
    server = rpc
    await rpc.start(stopping.signal)
    for (let i = 0; i < 2; i++) await open(rpc.httpUrl, 'POST / HTTP/1.1\r\n')
    const third = await open(rpc.httpUrl, 'POST / HTTP/1.1\r\n')
    await once(third.socket, 'close')
    assert.match(third.answer(), /^HTTP\/1\.1 503 /)
    const own = await Promise.all([1, 2, 3].map(() => open(rpc.httpUrl, 'GET / HTTP/1.1\r\nhost: localhost\r\n\r\n', '127.0.0.1')))
    for (const { socket, answer } of own) {
      if (answer() === '') await once(socket, 'data')
      assert.match(answer(), /^HTTP\/1\.1 401 /)
    }
  })
})
