import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Web } from '../create-web.ts'
import { WebWorld } from '../web-world.test-support.ts'

const STREAM = '/api/platform/api/v1/chatbot/chat/stream'

describe('server-sent events through the server of the pages', () => {
  let world: WebWorld
  let opened: ServerResponse[]
  beforeEach(async () => {
    world = await WebWorld.open()
    opened = []
    world.respond = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-chat-turn': '7', 'set-cookie': 'a=b' })
      response.write('data: one\n\n')
      opened.push(response)
    }
  })
  afterEach(() => world.close())

  const open = (web: Web, signal?: AbortSignal) => {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer t', 'last-event-id': '7-0' }
    return fetch(web.url + STREAM, { method: 'POST', headers, body: '{"messages":[]}', ...(signal === undefined ? {} : { signal }) })
  }
  const textOf = (chunk: { value?: Uint8Array | undefined }) => Buffer.from(chunk.value ?? []).toString()

  it('pass an event on before the answer is over', async () => {
    const answer = await open(await world.start())
    assert.equal(answer.headers.get('x-chat-turn'), '7')
    assert.equal(answer.headers.get('set-cookie'), null)
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
    assert.equal(textOf(await reader.read()), 'data: one\n\n')
    opened[0]?.end('data: two\n\n')
    assert.equal(textOf(await reader.read()), 'data: two\n\n')
    assert.equal((await reader.read()).done, true)
    const [asked] = world.received
    assert.deepEqual(
      [asked?.url, asked?.headers.authorization, asked?.headers['last-event-id'], asked?.headers.accept, asked?.body],
      ['/api/v1/chatbot/chat/stream', 'Bearer t', '7-0', 'text/event-stream', '{"messages":[]}'],
    )
  })

  it('end at the service when the browser leaves', async () => {
    const leaving = new AbortController()
    const answer = await open(await world.start(), leaving.signal)
    assert.equal(answer.status, 200)
    const closed = once(opened[0] as ServerResponse, 'close')
    leaving.abort()
    await closed
  })

  it('end when the server of the pages stops', async () => {
    const web = await world.start()
    const answer = await open(web)
    const rest = answer.text().catch(() => 'cut')
    await web.stop()
    assert.equal(await rest, 'cut')
  })

  it('end after 4 MiB', async () => {
    const answer = await open(await world.start())
    const closed = once(opened[0] as ServerResponse, 'close')
    opened[0]?.write('x'.repeat(5 * 1024 * 1024))
    await assert.rejects(answer.text())
    await closed
  })

  it('keep the status of a refusal', async () => {
    world.respond = (_request, response) => response.writeHead(429, { 'retry-after': '3' }).end('{"detail":"later"}')
    const answer = await open(await world.start())
    assert.deepEqual([answer.status, answer.headers.get('retry-after'), await answer.text()], [429, '3', '{"detail":"later"}'])
  })

  it('are at most six for one caller, beside the answers it waits for', async () => {
    const web = await world.start()
    const leaving = new AbortController()
    for (let i = 0; i < 6; i++) assert.equal((await open(web, leaving.signal)).status, 200)
    const refused = await open(web)
    assert.equal(refused.status, 429)
    assert.match(((await refused.json()) as { expected: string }).expected, /6 streams/)
    world.respond = (_request, response) => response.end('{}')
    assert.equal((await fetch(`${web.url}/api/index/blocks`)).status, 200)
    const closed = once(opened[0] as ServerResponse, 'close')
    leaving.abort()
    await closed
  })

  it('answer 502 when the service is gone', async () => {
    const services = { index: null, faucet: null, bridge: null, platform: 'http://127.0.0.1:1' }
    assert.equal((await open(await world.start({ services }))).status, 502)
  })
})
