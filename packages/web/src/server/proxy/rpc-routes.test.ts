import assert from 'node:assert/strict'
import { connect } from 'node:net'
import type { Web } from '../create-web.ts'
import { WebWorld } from '../web-world.test-support.ts'

describe('JSON-RPC through the server of the pages', () => {
  let world: WebWorld
  beforeEach(async () => {
    world = await WebWorld.open()
  })
  afterEach(() => world.close())

  const rpc = (web: Web, body: unknown) =>
    fetch(`${web.url}/rpc/l2`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

  it('passes reads and signed transactions on, one by one and in batches', async () => {
    const web = await world.start()
    const calls = [
      { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] },
      { jsonrpc: '2.0', id: 2, method: 'eth_sendRawTransaction', params: ['0x00'] },
    ]
    assert.equal((await rpc(web, calls[0])).status, 200)
    assert.equal((await rpc(web, calls)).status, 200)
    assert.deepEqual(
      world.received.map(({ body }) => JSON.parse(body)),
      [calls[0], calls],
    )
  })

  it('names the visitor to the node of L2, behind what proxies said, and not to that of L1', async () => {
    const web = await world.start({ nodes: { l1: world.behindUrl, l2: world.behindUrl } })
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.7' }
    const body = JSON.stringify({ id: 1, method: 'eth_chainId' })
    for (const layer of ['l1', 'l2']) await (await fetch(`${web.url}/rpc/${layer}`, { method: 'POST', headers, body })).text()
    assert.deepEqual(
      world.received.map((received) => received.headers['x-forwarded-for']),
      [undefined, '203.0.113.7, 127.0.0.1'],
    )
  })

  it('charges a visitor for the time that the node needs, so that one visitor does not take a core', async () => {
    let waitMs = 0
    world.respond = (_request, response) => void setTimeout(() => response.end('{}'), waitMs)
    const web = await world.start({ rate: { perSec: 1, burst: 40 } })
    const call = () => rpc(web, { id: 1, method: 'eth_call' })
    assert.equal((await call()).status, 200)
    waitMs = 400
    // At least 80 tokens, of which 39 are left.
    assert.equal((await call()).status, 200)
    const refused = await call()
    assert.equal(refused.status, 429)
    assert.ok(Number(refused.headers.get('retry-after')) > 30)
  })

  it('has room for few large answers of one visitor, and tells him to read those', async () => {
    const answer = Buffer.alloc(7 * 1024 * 1024, 'a')
    world.respond = (_request, response) => void response.end(answer)
    const web = await world.start({ rate: { perSec: 100_000, burst: 100_000 } })
    const body = '{"id":1,"method":"eth_chainId"}'
    const request = `POST /rpc/l2 HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    const sockets = Array.from({ length: 3 }, () => connect(Number(new URL(web.url).port), '127.0.0.1').pause())
    // Several on each connection, because the system's buffers take the first answers.
    for (const socket of sockets) socket.on('error', () => undefined).write(request.repeat(4))
    let refused: Response
    do refused = await rpc(web, { id: 1, method: 'eth_chainId' })
    while (refused.status === 200 && (await refused.arrayBuffer()).byteLength > 0)
    assert.equal(refused.status, 503)
    assert.match(JSON.stringify(await refused.json()), /busy.*wait for their readers/)
    assert.equal((await fetch(`${web.url}/health`)).status, 200)
    for (const socket of sockets) socket.destroy()
    while ((await rpc(web, { id: 1, method: 'eth_chainId' })).status !== 200);
  })

  it('refuses every other method, also in a batch', async () => {
    const web = await world.start()
    for (const method of [
      'admin_addPeer',
      'eth_sendTransaction',
      'eth_sign',
      'debug_setHead',
      'miner_setMaxDASize',
      'personal_sign',
      'constructor',
    ]) {
      for (const body of [
        { id: 1, method },
        [
          { id: 1, method: 'eth_chainId' },
          { id: 2, method },
        ],
      ]) {
        const { id, error } = (await (await rpc(web, body)).json()) as { id: number | null; error: { code: number; message: string } }
        assert.equal(id, Array.isArray(body) ? null : 1)
        assert.equal(error.code, -32601, method)
        assert.match(error.message, new RegExp(method))
      }
    }
    assert.deepEqual(world.received, [])
  })

  it('repeats the id of a refused request as it was written', async () => {
    const web = await world.start()
    for (const id of ['12345678901234567890', '1.0', 'true', '"\\u0061"', 'null']) {
      const body = `{"jsonrpc":"2.0","id":${id},"method":"admin_addPeer"}`
      const response = await fetch(`${web.url}/rpc/l2`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
      assert.match(await response.text(), new RegExp(`^\\{"jsonrpc":"2.0","id":${id.replaceAll('\\', '\\\\')},"error":`))
    }
  })

  it('refuses what is not JSON, has no method, is too large, too deep or has too many calls', async () => {
    const web = await world.start()
    const post = (body: string) => fetch(`${web.url}/rpc/l2`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const call = { id: 1, method: 'eth_chainId' }
    for (const body of ['{', '[]', '7', '{"method":7}', JSON.stringify(Array(61).fill(call)), `${'['.repeat(100)}${']'.repeat(100)}`]) {
      const { error } = (await (await post(body)).json()) as { error?: { code: number } }
      assert.ok(error !== undefined && error.code < 0, body.slice(0, 40))
    }
    assert.equal((await post(JSON.stringify({ ...call, params: ['a'.repeat(400_000)] }))).status, 413)
    assert.equal((await fetch(`${web.url}/rpc/l2`)).status, 405)
    assert.deepEqual(world.received, [])
  })

  it('refuses types that a page of another site may send without a preflight', async () => {
    const web = await world.start()
    for (const type of ['application/x-www-form-urlencoded', 'text/plain']) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })
      const response = await fetch(`${web.url}/rpc/l2`, { method: 'POST', headers: { 'content-type': type }, body })
      assert.equal(response.status, 415, type)
    }
    assert.equal(world.received.length, 0)
  })

  it('serves only its own host names, so that no other site reaches the node under a name of its own', async () => {
    const web = await world.start({ virtualHosts: ['pages.example'] })
    const status = async (host: string, url: string) => (await web.app.inject({ method: 'GET', url, headers: { host } })).statusCode
    for (const url of ['/', '/config.json', '/api/index/status', '/rpc/l2']) assert.equal(await status('evil.example', url), 403, url)
    for (const host of ['pages.example', 'PAGES.example:8080', '127.0.0.1:8080', '[::1]:8080']) {
      assert.equal(await status(host, '/config.json'), 200, host)
    }
  })

  it('says that there is no node of L1 when none was given', async () => {
    const web = await world.start()
    const answer = await fetch(`${web.url}/rpc/l1`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
    assert.equal(answer.status, 404)
  })
})
