import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { createManualClock, createSilentLogger } from '@keelson/runtime'
import { z } from 'zod'
import { createPlatformServer, type PlatformServer } from './platform-server.ts'
import { createMemoryRateLimits } from './rate-limit-store.ts'
import { defineRoute } from './route.ts'

const KIB = 1024
const base = { method: 'POST', tag: 'test', summary: 'test', auth: 'none', answer: z.any() } as const
const limit = { requests: 1_000, windowMs: 60_000 }

describe('memory for request bodies', () => {
  let server: PlatformServer
  let finish: (() => void)[]
  beforeEach(async () => {
    const clock = createManualClock(1_000_000)
    finish = []
    server = await createPlatformServer(
      {
        host: '127.0.0.1',
        port: 0,
        virtualHosts: [],
        version: '1',
        corsOrigins: [],
        limitScale: 1,
        bodyRoom: { bytes: 300 * KIB, bytesPerAddress: 200 * KIB },
        trustedProxies: [],
      },
      {
        routes: [
          defineRoute({ ...base, limit, path: '/length', body: z.object({ text: z.string() }), handle: ({ body }) => body.text.length }),
          defineRoute({ ...base, limit, path: '/short', body: z.any(), bodyBytes: 64 * KIB, handle: () => 1 }),
          defineRoute({
            ...base,
            limit,
            path: '/waits',
            body: z.any(),
            handle: () => new Promise((resolve) => finish.push(() => resolve(1))),
          }),
        ],
        authenticator: { verify: async () => null, isThere: async () => false },
        limits: createMemoryRateLimits(clock),
        isOutage: () => false,
        clock,
        log: createSilentLogger(),
      },
    )
    await server.start(new AbortController().signal)
  })
  afterEach(() => server.stop())

  const bodyOf = (bytes: number) => JSON.stringify({ text: 'x'.repeat(bytes) })
  const post = async (path: string, bytes: number) => {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      body: bodyOf(bytes),
      headers: { 'content-type': 'application/json' },
    })
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      body: (await response.json()) as number | { readonly detail: string },
    }
  }
  async function sending(bytes: number) {
    const text = bodyOf(bytes)
    const request = httpRequest(`${server.url}/length`, { method: 'POST', headers: { 'content-type': 'application/json' } })
    const answer = new Promise<number>((resolve, reject) => {
      request.on('response', (response) => resolve(response.resume().statusCode ?? 0))
      request.on('error', reject)
    })
    await new Promise((resolve) => request.write(text.slice(0, -1), resolve))
    return { end: () => request.end(text.slice(-1)), leave: () => request.destroy(), answer }
  }
  async function until(status: number, bytes: number) {
    for (let tries = 0; tries < 200; tries++) if ((await post('/length', bytes)).status === status) return
    assert.fail(`never answered ${status}`)
  }

  it('is bounded: the next large body gets a 503', async () => {
    assert.deepEqual(await post('/length', 100 * KIB), { status: 200, retryAfter: null, body: 100 * KIB })
    const slow = await sending(150 * KIB)
    await until(503, 100 * KIB)
    const refused = await post('/length', 100 * KIB)
    assert.deepEqual([refused.retryAfter, refused.body], ['2', { detail: 'Too many large requests at once: try again in a moment' }])
    assert.equal((await post('/length', 10 * KIB)).status, 200)
    slow.end()
    assert.equal(await slow.answer, 200)
    assert.equal((await post('/length', 100 * KIB)).status, 200)
  })

  it('is released when the sender disconnects', async () => {
    const slow = await sending(150 * KIB)
    await until(503, 100 * KIB)
    slow.leave()
    await assert.rejects(slow.answer)
    await until(200, 100 * KIB)
  })

  it('is released before the handler runs', async () => {
    const waiting = Array.from({ length: 5 }, () => post('/waits', 150 * KIB))
    const done = async () => {
      while (finish.length < 5) await new Promise((resolve) => setImmediate(resolve))
      assert.equal((await post('/length', 150 * KIB)).status, 200)
      for (const end of finish) end()
    }
    await done()
    assert.deepEqual(
      (await Promise.all(waiting)).map(({ status }) => status),
      [200, 200, 200, 200, 200],
    )
  })

  it('is not used beyond the limit of the route', async () => {
    assert.equal((await post('/short', 60 * KIB)).status, 200)
    assert.equal((await post('/short', 64 * KIB)).status, 413)
    const chunks = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(bodyOf(100 * KIB)))
        controller.close()
      },
    })
    const response = await fetch(`${server.url}/short`, { method: 'POST', body: chunks, duplex: 'half' } as RequestInit)
    assert.equal(response.status, 413)
  })
})
