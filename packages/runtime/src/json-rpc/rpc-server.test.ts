import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { WebSocket } from 'ws'
import { createSystemClock } from '../clock.ts'
import { createSilentLogger } from '../log.ts'
import { Secret } from '../secret.ts'
import { createJwt } from './jwt.ts'
import type { RpcMethods } from './rpc-method.ts'
import { createRpcServer, type RpcServer, type RpcServerOptions } from './rpc-server.ts'

const clock = createSystemClock()
const log = createSilentLogger()
let subscriber: ((value: unknown) => boolean) | undefined
let closed = 0

const methods: RpcMethods = {
  echo: (params) => params,
  big: () => 'x'.repeat(1000),
  where: (_params, { transport }) => transport,
  subscribe: (_params, { notify, onClose }) => {
    if (notify === undefined) return 'needs a WebSocket'
    onClose?.(() => closed++)
    subscriber = (value) => notify('eth_subscription', { subscription: '0x1', result: value })
    subscriber('early')
    return '0x1'
  },
  hang: (_params, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
}

const call = (method: string, params: unknown[] = []) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

describe('JSON-RPC server', () => {
  const servers: RpcServer[] = []
  const serve = async (options: Partial<RpcServerOptions> = {}) => {
    const server = createRpcServer({ name: 'test RPC', host: '127.0.0.1', port: 0, ...options }, { methods, log, clock })
    await server.start(new AbortController().signal)
    servers.push(server)
    return server
  }
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop()))
  })

  const post = (server: RpcServer, body: string, headers: Record<string, string> = {}) =>
    fetch(server.httpUrl, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })

  it('serves HTTP, keeps the connection, and returns an empty response to notifications', async () => {
    const server = await serve()
    const response = await post(server, call('echo', ['ü']))
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), 'application/json')
    assert.equal(response.headers.get('connection'), 'keep-alive')
    assert.deepEqual(await response.json(), { jsonrpc: '2.0', id: 1, result: ['ü'] })
    assert.equal(await (await post(server, '{"jsonrpc":"2.0","method":"echo"}')).text(), '')
  })

  it('refuses other methods, types and sizes', async () => {
    const server = await serve({ limits: { maxBodyBytes: 100 } })
    assert.equal((await fetch(server.httpUrl)).status, 200)
    assert.equal((await fetch(server.httpUrl, { method: 'PUT', body: 'x' })).status, 405)
    assert.equal((await fetch(server.httpUrl, { method: 'POST', body: call('echo') })).status, 415)
    assert.equal((await post(server, call('echo', ['x'.repeat(100)]))).status, 413)
  })

  it('tells a browser what the port is for, and a program nothing', async () => {
    const browser = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } }
    const both = await serve({ ws: true })
    const page = await fetch(both.httpUrl, browser)
    assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8'])
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
    assert.match(await page.text(), /JSON-RPC requests that are sent by POST or over WebSocket/)
    assert.equal(await (await fetch(both.httpUrl)).text(), '')
    const sockets = await serve({ http: false, ws: true })
    const url = sockets.wsUrl.replace('ws', 'http')
    assert.match(await (await fetch(url, browser)).text(), /over WebSocket/)
    assert.equal((await fetch(url)).status, 426)
  })

  it('refuses a body that exceeds the limit without announcing its length', async () => {
    const server = await serve({ limits: { maxBodyBytes: 100 } })
    const request = httpRequest(server.httpUrl, { method: 'POST', headers: { 'content-type': 'application/json' } })
    request.on('error', () => undefined)
    request.write('x'.repeat(60))
    request.write('x'.repeat(60))
    const [response] = (await once(request, 'response')) as [{ statusCode: number }]
    assert.equal(response.statusCode, 413)
    request.destroy()
  })

  it('sends CORS headers to allowed origins only', async () => {
    const server = await serve({ origins: ['https://wallet.example'] })
    const preflight = await fetch(server.httpUrl, { method: 'OPTIONS', headers: { origin: 'https://wallet.example' } })
    assert.equal(preflight.status, 204)
    assert.equal(preflight.headers.get('access-control-allow-origin'), 'https://wallet.example')
    const foreign = await post(server, call('echo'), { origin: 'https://evil.example' })
    assert.equal(foreign.headers.get('access-control-allow-origin'), null)
    const open = await serve({ origins: ['*'] })
    assert.equal((await post(open, call('echo'), { origin: 'https://any.example' })).headers.get('access-control-allow-origin'), '*')
  })

  it('answers to its host names and to addresses only', async () => {
    const server = await serve()
    const statusFor = async (host: string) => {
      const request = httpRequest(server.httpUrl, { method: 'POST', headers: { host, 'content-type': 'application/json' } })
      request.end(call('echo'))
      const [response] = (await once(request, 'response')) as [import('node:http').IncomingMessage]
      response.resume()
      return response.statusCode
    }
    assert.deepEqual(
      await Promise.all(['localhost:1', '127.0.0.1', '[::1]:8545', 'rebound.example', 'rebound.example:8545'].map(statusFor)),
      [200, 200, 200, 403, 403],
    )
  })

  it('requires a token when it has a secret, and reports the mistake', async () => {
    const jwtSecret = new Secret(new Uint8Array(randomBytes(32)))
    const server = await serve({ jwtSecret, ws: true })
    const refused = await post(server, call('echo'))
    assert.equal(refused.status, 401)
    assert.match(await refused.text(), /no token/)
    const headers = { authorization: `Bearer ${await createJwt(jwtSecret, clock)}` }
    assert.equal((await post(server, call('echo'), headers)).status, 200)
    const socket = new WebSocket(server.wsUrl)
    const [error] = (await once(socket, 'error')) as [Error]
    assert.match(error.message, /401/)
    const welcome = new WebSocket(server.wsUrl, { headers })
    await once(welcome, 'open')
    welcome.close()
  })

  it('names a port in use and the option that sets it', async () => {
    const first = await serve()
    const second = createRpcServer(
      { name: 'second RPC', host: '127.0.0.1', port: first.address.port, option: '--http.port' },
      { methods, log, clock },
    )
    await assert.rejects(second.start(new AbortController().signal), (error: Error & { code: string }) => {
      assert.equal(error.code, 'runtime/port-in-use')
      assert.match(error.message, new RegExp(`port ${first.address.port} on 127.0.0.1 \\(second RPC\\).*--http.port`))
      return true
    })
  })

  describe('over WebSocket', () => {
    const open = async (server: RpcServer, options = {}) => {
      const socket = new WebSocket(server.wsUrl, options)
      await once(socket, 'open')
      const messages: unknown[] = []
      const waiters: (() => void)[] = []
      socket.on('message', (data) => {
        messages.push(JSON.parse(String(data)))
        for (const wake of waiters.splice(0)) wake()
      })
      const next = async (): Promise<unknown> => {
        while (messages.length === 0) await new Promise<void>((resolve) => waiters.push(resolve))
        return messages.shift()
      }
      return { socket, next }
    }

    it('answers calls, and sends the id of a subscription before its first notification', async () => {
      const { socket, next } = await open(await serve({ ws: true }))
      socket.send(call('where'))
      assert.deepEqual(await next(), { jsonrpc: '2.0', id: 1, result: 'ws' })
      socket.send(call('subscribe'))
      assert.deepEqual(await next(), { jsonrpc: '2.0', id: 1, result: '0x1' })
      const notification = (result: string) => ({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription: '0x1', result } })
      assert.deepEqual(await next(), notification('early'))
      assert.equal(subscriber?.('later'), true)
      assert.deepEqual(await next(), notification('later'))
      const before = closed
      socket.terminate()
      while (closed === before) await new Promise((resolve) => setImmediate(resolve))
      assert.equal(subscriber?.('nobody'), false)
    })

    it('drops a client that does not read', async () => {
      const { socket, next } = await open(await serve({ ws: true, socketLimits: { maxBufferedBytes: 100_000 } }))
      socket.send(call('subscribe'))
      await next()
      socket.pause()
      const closing = once(socket, 'close')
      let sent = 0
      while (subscriber?.('x'.repeat(50_000)) === true) {
        sent++
        assert.ok(sent < 10_000)
        await new Promise((resolve) => setImmediate(resolve))
      }
      socket.resume()
      await closing
      assert.ok(sent > 0)
    })

    it('refuses pages of origins that are not allowed, and too large messages', async () => {
      const server = await serve({ ws: true, origins: ['https://wallet.example'], limits: { maxBodyBytes: 1000 } })
      const foreign = new WebSocket(server.wsUrl, { headers: { origin: 'https://evil.example' } })
      assert.match(((await once(foreign, 'error')) as [Error])[0].message, /403/)
      const { socket } = await open(server, { headers: { origin: 'https://wallet.example' } })
      socket.send('x'.repeat(1001))
      const [code] = (await once(socket, 'close')) as [number]
      assert.equal(code, 1009)
    })

    it('processes many messages of a connection, a few at a time', async () => {
      const { socket, next } = await open(await serve({ ws: true, socketLimits: { maxMessagesInFlight: 2 } }))
      for (let i = 0; i < 50; i++) socket.send(JSON.stringify({ jsonrpc: '2.0', id: i, method: 'echo' }))
      const ids = new Set<number>()
      for (let i = 0; i < 50; i++) ids.add(((await next()) as { id: number }).id)
      assert.equal(ids.size, 50)
      socket.close()
    })

    it('sends a close frame when the server stops', async () => {
      const server = await serve({ ws: true })
      const { socket } = await open(server)
      const closing = once(socket, 'close')
      await server.stop()
      servers.splice(servers.indexOf(server), 1)
      assert.equal(((await closing) as [number])[0], 1001)
    })

    it('is rejected where it is not enabled', async () => {
      const socket = new WebSocket((await serve()).wsUrl)
      assert.match(((await once(socket, 'error')) as [Error])[0].message, /404/)
    })
  })

  it('stops although a call hangs and connections are open', async () => {
    const server = await serve()
    const idle = connect(server.address.port, '127.0.0.1')
    await once(idle, 'connect')
    const hanging = post(server, call('hang')).then(
      (response) => response.status,
      () => 'cut',
    )
    await new Promise((resolve) => setImmediate(resolve))
    await server.stop()
    servers.splice(servers.indexOf(server), 1)
    assert.ok(['cut', 200].includes(await hanging))
    idle.destroy()
  })
})
