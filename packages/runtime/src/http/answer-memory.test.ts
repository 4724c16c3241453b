import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { AnswerMemory, AnswersFullError } from './answer-memory.ts'
import { type ByteBudget, createByteBudget } from './byte-budget.ts'

const KIB = 1024

describe('the memory for answers', () => {
  let server: Server
  let budget: ByteBudget
  /** Largest amount that was held at once. */
  let most: number
  beforeEach(async () => {
    budget = createByteBudget(16_000 * KIB, 12_000 * KIB)
    most = 0
    const answers = new AnswerMemory(budget)
    server = createServer((request, response) => {
      const [, caller = '', size = '0'] = (request.url ?? '').split('/')
      const bytes = Buffer.alloc(Number(size) * KIB)
      const fits = answers.hold(response, caller === 'exempt' ? null : caller, bytes.length)
      most = Math.max(most, budget.used)
      response.writeHead(fits ? 200 : 503).end(fits ? bytes : '')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const status = async (path: string) => {
    const response = await fetch(url() + path)
    await response.arrayBuffer()
    return response.status
  }
  const unread = async (...paths: readonly string[]) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`).join(''))
    return socket
  }
  const until = async (isTrue: () => boolean) => {
    while (!isTrue()) await new Promise((resolve) => setImmediate(resolve))
  }

  it('is freed by every answer that was read', async () => {
    for (let i = 0; i < 5; i++) assert.equal(await status('/a/10000'), 200)
    await until(() => budget.used === 0)
    assert.equal(most, 10_000 * KIB)
  })

  it('has a share for one caller, and room for another one', async () => {
    const slow = await unread('/a/10000')
    await until(() => budget.used > 0)
    assert.equal(await status('/a/4000'), 503)
    assert.equal(await status('/b/4000'), 200)
    assert.equal(await status('/b/8000'), 503, 'all together')
    assert.equal(await status('/exempt/4000'), 200)
    assert.equal(await status('/a/16'), 200, 'small answers are not counted')
    slow.destroy()
    await until(() => budget.used === 0)
    assert.equal(await status('/a/10000'), 200)
  })

  it('is freed when a connection closes before its pipelined answers are sent', async () => {
    const slow = await unread('/a/5000', '/a/5000')
    await until(() => budget.used === 10_000 * KIB)
    slow.destroy()
    await until(() => budget.used === 0)
  })

  it('counts an answer once when it grows', () => {
    const growing = { req: {}, closed: false, once: () => growing, off: () => growing } as never
    const answers = new AnswerMemory(budget)
    for (const bytes of [2_000, 3_000, 3_000, 1_000]) assert.equal(answers.hold(growing, 'a', bytes * KIB), true)
    assert.equal(budget.used, 3_000 * KIB)
    assert.throws(() => answers.holdPayload(growing, 'a', Buffer.alloc(12_001 * KIB)), AnswersFullError)
    assert.equal(budget.used, 3_000 * KIB)
  })
})
