import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { hostname } from 'node:os'
import { describeCorsPort, PAGE_ORIGIN } from '../../../../../test/support/cors-cases.ts'
import { describeHttpPort } from '../../../../../test/support/http-cases.ts'
import { createManualClock } from '../../clock.ts'
import { createHealthServer, type HealthServer } from '../../health/health-server.ts'
import { createReadiness } from '../../health/readiness.ts'
import { call, closeFrontDoors, openSocket, serveFrontDoor } from '../../json-rpc/front-door.test-support.ts'
import { createJwt } from '../../json-rpc/jwt.ts'
import { parseJwtSecret } from '../../json-rpc/jwt-secret.ts'
import type { RpcServer } from '../../json-rpc/rpc-server.ts'
import { createSilentLogger } from '../../log.ts'
import { createMetrics } from '../../metrics.ts'
import { createHttpServer } from './http-server.ts'

const BODY = { method: 'POST', path: '/', body: call('echo') } as const
const JSON_TYPE = { 'Content-Type': 'application/json' }

describe('HTTP ports of the runtime', () => {
  let rpc: RpcServer
  let engine: { readonly server: RpcServer; readonly token: string }
  let health: HealthServer
  const stopping = new AbortController()
  before(async () => {
    rpc = (await serveFrontDoor({ ws: true, origins: [PAGE_ORIGIN] })).server
    const jwtSecret = parseJwtSecret('11'.repeat(32), 'test.hex')
    const { server, clock } = await serveFrontDoor({ ws: true, jwtSecret }, null)
    engine = { server, token: await createJwt(jwtSecret, clock) }
    const [clock2, log, metrics] = [createManualClock(), createSilentLogger(), createMetrics('test')]
    const readiness = createReadiness([], { clock: clock2, log, metrics })
    health = createHealthServer({ host: '127.0.0.1', port: 0, virtualHosts: [] }, { metrics, readiness, clock: clock2, log })
    await health.start(stopping.signal)
  })
  after(async () => {
    stopping.abort()
    await health.stop()
    await closeFrontDoors()
  })

  describeHttpPort('JSON-RPC', 'takes bodies', () => ({ port: rpc.address.port, ...BODY, headers: JSON_TYPE }))
  describeHttpPort('JSON-RPC with a JWT', 'takes bodies', () => ({
    port: engine.server.address.port,
    ...BODY,
    headers: { ...JSON_TYPE, Authorization: `Bearer ${engine.token}` },
  }))
  describeHttpPort('metrics and health', 'reads', () => ({ port: Number(new URL(health.url).port), method: 'GET', path: '/livez' }))

  describeCorsPort('JSON-RPC', () => rpc.httpUrl)

  it('a WebSocket handshake in a list of protocols, and with a target in absolute form, is taken (RFC 9110 section 7.8)', async () => {
    for (const [target, protocols] of [
      ['/', 'websocket'],
      ['/', 'h2c, WebSocket'],
      [`http://127.0.0.1:${rpc.address.port}/`, 'websocket'],
    ] as const) {
      const handshake = `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive, Upgrade\r\nUpgrade: ${protocols}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`
      const socket = connect(rpc.address.port, '127.0.0.1')
      socket.write(handshake)
      const [answer] = (await once(socket, 'data')) as [Buffer]
      socket.destroy()
      // The value of RFC 6455 section 1.3.
      assert.match(String(answer), /^HTTP\/1.1 101 .*\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=\r\n/s)
    }
    assert.equal((await openSocket(rpc)).readyState, 1)
  })

  it('a WebSocket handshake by POST is no upgrade (RFC 6455 section 4.1)', async () => {
    const headers = { ...JSON_TYPE, connection: 'Upgrade', upgrade: 'websocket' }
    const asked = request(rpc.httpUrl, { method: 'POST', headers })
    asked.end(BODY.body)
    const [{ statusCode }] = (await once(asked, 'response')) as [{ statusCode: number }]
    assert.equal(statusCode, 200)
  })

  it('a client that asks for h2c with every request keeps its connection, and each request has one answer', async () => {
    const socket = connect(rpc.address.port, '127.0.0.1')
    const upgrade = 'Connection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAE\r\nUpgrade: h2c\r\n'
    for (let i = 0; i < 5; i++) {
      const body = call('echo', [i])
      const head = `POST /?${i} HTTP/1.1\r\n${upgrade}Content-Length: ${body.length}\r\nHost: localhost\r\nContent-Type: application/json\r\n\r\n`
      // Java sends the head and the body apart.
      socket.write(head)
      await new Promise((resolve) => setImmediate(resolve))
      socket.write(body)
      const [answer] = (await once(socket, 'data')) as [Buffer]
      assert.match(String(answer), new RegExp(`^HTTP/1.1 200 .*keep-alive.*"result":\\[${i}\\]`, 's'))
    }
    socket.destroy()
  })

  it('answers to names that no page of another site can have, so that containers and Prometheus need no option', async () => {
    const own = { '': [], listed: ['pages.example.org'], all: ['*'] } as const
    const local = [
      'execution',
      'execution:6060',
      'LOCALHOST',
      'a.localhost',
      'node.local',
      'node.svc.cluster.local',
      'vm.internal',
      'nas.home.arpa',
    ]
    const addresses = ['192.0.2.7:6060', '[2001:db8::1]:6060', hostname()]
    for (const [host, allowed, expected] of [
      ...[...local, ...addresses].map((name) => [name, own[''], 200] as const),
      ['pages.example.org:8090', own.listed, 200],
      ['Pages.Example.org', own.listed, 200],
      ['other.example.org', own.listed, 403],
      ['other.example.org', own.all, 200],
    ] as const) {
      const server = createHttpServer({ allowed: () => 'GET', virtualHosts: allowed, node: {} }, (_, response) => response.end())
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      try {
        const asked = request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', headers: { host } })
        asked.end()
        const [{ statusCode }] = (await once(asked, 'response')) as [{ statusCode: number }]
        assert.equal(statusCode, expected, `${host} of ${allowed.join()}`)
      } finally {
        server.closeAllConnections()
        server.close()
      }
    }
  })

  it('a request in absolute form reaches the handler with the path, and the host of the target', async () => {
    const server = createHttpServer({ allowed: () => 'GET', virtualHosts: null, node: {} }, ({ url, headers }, response) =>
      response.end(`${headers.host}${url}`),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    try {
      for (const [target, reached] of [
        ['http://one.example/a?b=http://c', 'one.example/a?b=http://c'],
        ['https://user@one.example:9?x', 'one.example:9/?x'],
        ['http://one.example', 'one.example/'],
        ['/http://one.example/', 'localhost/http://one.example/'],
      ] as const) {
        const asked = request({ port, host: '127.0.0.1', path: target, headers: { host: 'localhost' } })
        asked.end()
        const [response] = await once(asked, 'response')
        let text = ''
        for await (const chunk of response) text += chunk
        assert.equal(text, reached)
      }
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
})
