import assert from 'node:assert/strict'
import { createManualClock, createSilentLogger } from '@keelson/runtime'
import { z } from 'zod'
import { createPlatformServer, type PlatformServer } from './platform-server.ts'
import { createMemoryRateLimits } from './rate-limit-store.ts'
import { type AnyRoute, defineRoute } from './route.ts'

const base = { tag: 'test', summary: 'test', limit: { requests: 1_000, windowMs: 60_000 }, answer: z.any(), handle: () => 1 } as const
const id = z.object({ id: z.string() })

const ROUTES: readonly AnyRoute[] = [
  defineRoute({ ...base, method: 'GET', path: '/plain', auth: 'none' }),
  defineRoute({ ...base, method: 'GET', path: '/things/:id', auth: 'none', params: id }),
  defineRoute({ ...base, method: 'DELETE', path: '/things/:id', auth: 'session', params: id }),
  defineRoute({ ...base, method: 'DELETE', path: '/plain', auth: 'session' }),
  defineRoute({ ...base, method: 'POST', path: '/bodyless', auth: 'none' }),
  defineRoute({ ...base, method: 'POST', path: '/json', auth: 'none', body: z.object({}) }),
  defineRoute({ ...base, method: 'PATCH', path: '/form', auth: 'user', form: true, body: z.object({}) }),
]
const NOT_UTF8 = Buffer.from([0x7b, 0xff, 0x7d])

describe('the statuses in the description of the platform', () => {
  let server: PlatformServer
  // biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
  let described: any
  before(async () => {
    const clock = createManualClock(1_000_000)
    server = await createPlatformServer(
      { host: '127.0.0.1', port: 0, virtualHosts: [], version: '1', corsOrigins: [], limitScale: 1, trustedProxies: [] },
      {
        routes: ROUTES,
        authenticator: {
          verify: async (token) => (token === 'user' ? { tier: 'user', userId: 1 } : { tier: 'session', userId: 1, sessionId: 'one' }),
          isThere: async () => true,
        },
        limits: createMemoryRateLimits(clock),
        isOutage: () => false,
        clock,
        log: createSilentLogger(),
      },
    )
    await server.start(new AbortController().signal)
    described = await (await fetch(`${server.url}/openapi.json`)).json()
  })
  after(() => server.stop())

  async function send({ method, path, auth }: AnyRoute, how: { readonly path?: string } & RequestInit = {}): Promise<number> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${auth}`, ...(how.headers as Record<string, string>) }
    const response = await fetch(server.url + (how.path ?? path.replace(':id', 'one')), { method, ...how, headers })
    await response.text()
    return response.status
  }
  const documentedFor = ({ method, path }: AnyRoute) =>
    Object.keys(described.paths[path.replace(':id', '{id}')][method.toLowerCase()].responses).map(Number)

  for (const route of ROUTES) {
    const { method, path, body } = route
    const sends = method === 'GET' ? {} : { body: NOT_UTF8 }

    it(`include what ${method} ${path} answers to a body that is not UTF-8`, async () => {
      const status = await send(route, sends)
      // RFC 9110, section 9.3.5: content of a request that has no use for it has no meaning.
      assert.equal(status, body === undefined ? 200 : 400)
      assert.ok(documentedFor(route).includes(status))
    })

    it(`include what ${method} ${path} answers to a body with a content coding`, async () => {
      const status = await send(route, { ...sends, headers: { 'content-encoding': 'gzip' } })
      assert.equal(status, 415)
      assert.ok(documentedFor(route).includes(status))
    })

    it(`include what ${method} ${path} answers to headers that are too long`, async () => {
      const status = await send(route, { headers: { 'x-long': 'a'.repeat(17_000) } })
      assert.equal(status, 431)
      assert.ok(documentedFor(route).includes(status))
    })

    if (route.params !== undefined)
      it(`include what ${method} ${path} answers to a path that cannot be decoded`, async () => {
        const status = await send(route, { path: path.replace(':id', '%ff') })
        assert.equal(status, 400)
        assert.ok(documentedFor(route).includes(status))
      })
  }

  it('do not include a refusal of a body where there is none', () => {
    const refusesBody = (route: AnyRoute) => documentedFor(route).some((status) => status === 413)
    assert.deepEqual(
      ROUTES.filter(refusesBody).map(({ path }) => path),
      ['/json', '/form'],
    )
  })
})
