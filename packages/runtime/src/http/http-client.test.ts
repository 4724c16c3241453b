import assert from 'node:assert/strict'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createHttpClient, type HttpClient, HttpClientError, type HttpRequest } from './http-client.ts'
import { listen, serverUrl } from './listen.ts'

describe('HTTP client', () => {
  let client: HttpClient
  const servers: Server[] = []
  const serve = async (listener: RequestListener) => {
    const server = createServer(listener)
    servers.push(server)
    return { server, url: serverUrl('http', await listen(server, { host: '127.0.0.1', port: 0, purpose: 'a test' })) }
  }
  const get = (url: string, options: Partial<HttpRequest> = {}) =>
    client.send({ url, method: 'GET', timeoutMs: 60_000, maxResponseBytes: 1000, ...options })
  const failsWith = (reason: string, message: RegExp) => (error: unknown) => {
    assert.ok(error instanceof HttpClientError)
    assert.equal(error.reason, reason)
    assert.match(error.message, message)
    assert.ok(!error.message.includes('apikey'))
    return true
  }
  beforeEach(() => {
    client = createHttpClient()
  })
  afterEach(() => {
    client.close()
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      server.close()
    }
  })

  it('sends, reads and reuses a connection', async () => {
    const sockets = new Set<unknown>()
    const { url } = await serve((request, response) => {
      sockets.add(request.socket)
      request.pipe(response)
    })
    for (let i = 0; i < 3; i++) {
      const { status, body } = await get(url, { method: 'POST', body: 'grüße' })
      assert.deepEqual([status, new TextDecoder().decode(body)], [200, 'grüße'])
    }
    assert.equal(sockets.size, 1)
  })

  it('takes the name and password of a URL', async () => {
    const { url } = await serve((request, response) => response.end(request.headers.authorization))
    const { body } = await get(url.replace('http://', 'http://user:p%40ss@'))
    assert.equal(new TextDecoder().decode(body), `Basic ${Buffer.from('user:p@ss').toString('base64')}`)
  })

  it('stops at the deadline, the signal and the size limit, without showing the path', async () => {
    const { url } = await serve((request, response) => {
      if (request.url?.startsWith('/big')) response.end('x'.repeat(2000))
    })
    await assert.rejects(get(`${url}/apikey`, { timeoutMs: 20 }), failsWith('timeout', /no answer from 127\.0\.0\.1:\d+ within 20 ms/))
    await assert.rejects(get(`${url}/big?apikey`), failsWith('too-large', /larger than 1000 bytes/))
    const controller = new AbortController()
    const aborted = get(`${url}/apikey`, { signal: controller.signal })
    controller.abort()
    await assert.rejects(aborted, failsWith('aborted', /was aborted/))
    await assert.rejects(get(url, { signal: AbortSignal.abort() }), failsWith('aborted', /was aborted/))
  })

  it('reports an unreachable server', async () => {
    const { server, url } = await serve(() => undefined)
    await new Promise((resolve) => server.close(resolve))
    await assert.rejects(get(`${url}/apikey`), failsWith('unreachable', /cannot be reached \(ECONNREFUSED\)/))
  })

  it('retries once when the server has closed an idle connection', async () => {
    const used = new Set<unknown>()
    const { url } = await serve((request, response) => {
      if (used.has(request.socket)) return request.socket.destroy()
      used.add(request.socket)
      response.end('ok')
    })
    for (let i = 0; i < 5; i++) assert.equal((await get(url)).status, 200)
    assert.equal(used.size, 5)
  })
})
