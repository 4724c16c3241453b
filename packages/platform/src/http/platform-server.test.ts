import assert from 'node:assert/strict'
import type { LogFields, Logger } from '@keelson/primitives'
import { createManualClock, createMetrics, type ManualClock } from '@keelson/runtime'
import { z } from 'zod'
import { ApiError, valueError } from './api-error.ts'
import { createPlatformServer, type PlatformServer, type PlatformServerOptions } from './platform-server.ts'
import { createMemoryRateLimits } from './rate-limit-store.ts'
import { type AnyRoute, defineRoute } from './route.ts'
import { thing } from './validation/thing.test-support.ts'

const LIMIT = { requests: 1000, windowMs: 60_000 }
const base = { method: 'POST', tag: 'test', summary: 'test', auth: 'none', limit: LIMIT, answer: z.any() } as const

const routes: readonly AnyRoute[] = [
  defineRoute({ ...base, path: '/thing', body: thing, handle: ({ body }) => body }),
  defineRoute({ ...base, path: '/strict', body: z.strictObject({ a: z.int() }), handle: ({ body }) => body }),
  defineRoute({
    ...base,
    path: '/form',
    form: true,
    body: z.object({ username: z.string(), password: z.string() }),
    handle: ({ body }) => body,
  }),
  defineRoute({ ...base, path: '/bodyless', handle: () => ({ ok: true }) }),
  defineRoute({
    ...base,
    method: 'GET',
    path: '/things/:id',
    params: z.object({ id: z.int() }),
    query: z.object({ n: z.int().optional(), word: z.string().optional() }),
    handle: ({ params, query }) => ({ ...params, ...query }),
  }),
  defineRoute({
    ...base,
    path: '/keyed',
    headers: z.object({ 'request-key': z.string().max(3).optional() }),
    handle: ({ headers }) => headers,
  }),
  defineRoute({ ...base, path: '/limited', limit: { requests: 2, windowMs: 60_000 }, handle: () => 'in' }),
  defineRoute({
    ...base,
    path: '/refuses',
    refusals: [403],
    handle: () => Promise.reject(new ApiError(403, 'not yours', { fields: { why: 1 } })),
  }),
  defineRoute({ ...base, path: '/rule', handle: () => Promise.reject(valueError(['body', 'x'], 'must be less than y', 3)) }),
  defineRoute({
    ...base,
    path: '/breaks',
    handle: () => Promise.reject(Object.assign(new Error('Failed query: secret words'), { query: 'q', params: ['secret words'] })),
  }),
  defineRoute({ ...base, path: '/outage', handle: () => Promise.reject(new Error('outage')) }),
  defineRoute({
    ...base,
    path: '/slow',
    timeout: 'execution',
    handle: ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('told')))),
  }),
  defineRoute({ ...base, path: '/large', handle: () => 'x'.repeat(200_000) }),
  defineRoute({ ...base, path: '/wrong-answer', answer: z.object({ a: z.string() }), handle: () => ({ a: 1 }) as never }),
  defineRoute({ ...base, path: '/mine-limited', auth: 'session', limit: { requests: 2, windowMs: 60_000 }, handle: () => 'in' }),
  defineRoute({ ...base, path: '/mine', auth: 'session', handle: ({ caller }) => caller }),
]

describe('the platform over HTTP', () => {
  let server: PlatformServer
  let clock: ManualClock
  let lines: { message: string; fields: LogFields }[]
  let looked = 0
  const metrics = createMetrics('test')

  async function open(options: Partial<PlatformServerOptions> = {}) {
    clock = createManualClock(1_700_000_000_000)
    lines = []
    const write = (message: string, fields: LogFields = {}) => void lines.push({ message, fields })
    const log: Logger = { debug: () => undefined, info: write, warn: write, error: write, child: () => log }
    server = await createPlatformServer(
      {
        host: '127.0.0.1',
        port: 0,
        virtualHosts: [],
        version: '1.2.3',
        trustedProxies: [],
        corsOrigins: ['https://page.example'],
        limitScale: 1,
        maxAnswerBytes: 100_000,
        ...options,
      },
      {
        routes,
        authenticator: {
          async verify(token) {
            if (token === 'user') return { tier: 'user', userId: 1 }
            return /^session\d*$/.test(token) ? { tier: 'session', userId: 1, sessionId: token } : null
          },
          async isThere(caller) {
            looked++
            return caller.tier === 'user' || caller.sessionId !== 'session404'
          },
        },
        limits: createMemoryRateLimits(clock),
        isOutage: (error) => error instanceof Error && error.message === 'outage',
        clock,
        log,
        metrics,
      },
    )
    await server.app.ready()
  }
  before(() => open())
  after(() => server.app.close())

  async function ask(
    method: 'GET' | 'POST' | 'PUT' | 'OPTIONS' | 'HEAD',
    url: string,
    payload?: unknown,
    headers: Record<string, string> = {},
  ) {
    const text = payload === undefined || typeof payload === 'string' ? payload : JSON.stringify(payload)
    const response = await server.app.inject({
      method,
      url,
      headers: { ...(text === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(text === undefined ? {} : { payload: text }),
    })
    const isJson = String(response.headers['content-type'] ?? '').startsWith('application/json') && response.body !== ''
    return { status: response.statusCode, headers: response.headers, body: isJson ? response.json() : response.body }
  }
  const issuesOf = async (body: unknown, url = '/thing') => {
    const answer = await ask('POST', url, body)
    assert.equal(answer.status, 422, JSON.stringify(answer.body))
    return answer.body.detail
  }
  const good = { name: 'n', count: 1 }

  it('gives a browser a page that leads to the documentation', async () => {
    const page = await server.app.inject({ method: 'GET', url: '/', headers: { accept: 'text/html' } })
    assert.deepEqual([page.statusCode, page.headers['content-type']], [200, 'text/html; charset=utf-8'])
    assert.match(page.body, /agent platform.*<a href="\/docs">/)
    assert.equal((await server.app.inject({ method: 'GET', url: '/' })).statusCode, 404)
  })

  it('names missing fields and repeats the input', async () => {
    assert.deepEqual(await issuesOf({ name: 'n' }), [
      { type: 'missing', loc: ['body', 'count'], msg: 'Field required', input: { name: 'n' } },
    ])
    assert.deepEqual(await issuesOf(undefined), [{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }])
    assert.equal((await issuesOf({})).length, 2)
  })

  it('reports a malformed email address and an unknown field', async () => {
    const [mail] = await issuesOf({ ...good, mail: 'nobody' })
    assert.equal(mail.type, 'value_error')
    assert.match(mail.msg, /email/)
    assert.deepEqual(await issuesOf({ a: 1, b: 2 }, '/strict'), [
      { type: 'extra_forbidden', loc: ['body', 'b'], msg: 'Unrecognized field', input: 2 },
    ])
    assert.equal((await issuesOf([]))[0].type, 'model_attributes_type')
    assert.equal((await issuesOf({ ...good, name: 'a\0' }))[0].type, 'value_error')
  })

  it('refuses a body that is not JSON without repeating it', async () => {
    for (const text of ['{"name": nope}', '{"name": "x",}', '{"name" "x"}', '{} {}', '"abc', '{"password": "hunter2hunter2"']) {
      const detail = await issuesOf(text)
      assert.deepEqual(detail, [{ type: 'json_invalid', loc: ['body'], msg: 'The body is not valid JSON', input: {} }])
    }
  })

  it('answers 400 to a body that is not UTF-8, and skips a byte order mark (RFC 8259 section 8.1)', async () => {
    const bytes = async (text: string, type = 'application/json', url = '/thing') => {
      const sent = { method: 'POST', url, headers: { 'content-type': type }, payload: Buffer.from(text, 'latin1') } as const
      const { statusCode, body } = await server.app.inject(sent)
      return [statusCode, JSON.parse(body).detail ?? JSON.parse(body)]
    }
    for (const wrong of ['\xff', '\xc3', '\xc0\xaf', '\xed\xa0\x80', '\xf5\x80\x80\x80'])
      for (const [text, ...to] of [[`{"name": "${wrong}"}`], [`username=${wrong}`, 'application/x-www-form-urlencoded', '/form']] as const)
        assert.deepEqual(await bytes(text, ...to), [400, 'The body is not valid UTF-8'])
    assert.deepEqual(await bytes('\xef\xbb\xbf{"name": "\xc3\xa4", "count": 1}'), [200, { name: 'ä', count: 1 }])
  })

  it('gives a path with a slash at its end the same answer', async () => {
    for (const asked of ['POST /thing', 'GET /things/12?n=3', 'GET /things/x', 'PUT /thing']) {
      const [method, path] = asked.split(' ') as ['GET', string]
      const [plain, slashed] = [await ask(method, path, good), await ask(method, path.replace(/(?=\?|$)/, '/'), good)]
      assert.deepEqual([slashed.status, slashed.body, slashed.headers.allow], [plain.status, plain.body, plain.headers.allow], path)
    }
  })

  it('never repeats a password', async () => {
    const [issue] = await issuesOf({ password: 'hunter2hunter2', name: 'n' })
    assert.deepEqual(issue.input, { password: '**********', name: 'n' })
  })

  it('accepts numbers as text in queries and paths, and in JSON only numbers (JSON Schema, section 6.1.1)', async () => {
    for (const field of [{ count: '7' }, { ratio: '0.5' }, { really: 'yes' }, { really: 1 }, { count: true }]) {
      const answer = await ask('POST', '/thing', { name: 'n', count: 7, ...field })
      assert.deepEqual([answer.status, answer.body.detail[0].loc], [422, ['body', ...Object.keys(field)]])
    }
    assert.deepEqual((await ask('GET', '/things/12?n=3&word=a&word=b')).body, { id: 12, n: 3, word: 'b' })
  })

  it('validates and describes the headers that a route declares', async () => {
    assert.deepEqual((await ask('POST', '/keyed', undefined, { 'Request-Key': 'abc', 'x-other': 'long enough' })).body, {
      'request-key': 'abc',
    })
    assert.deepEqual((await ask('POST', '/keyed')).body, {})
    const { status, body } = await ask('POST', '/keyed', undefined, { 'request-key': 'abcd' })
    assert.deepEqual([status, body.detail[0].type, body.detail[0].loc], [422, 'string_too_long', ['header', 'request-key']])
    const document = (await ask('GET', '/openapi.json')).body
    const [parameter] = document.paths['/keyed'].post.parameters
    assert.deepEqual([parameter.in, parameter.name, parameter.required ?? false], ['header', 'request-key', false])
    assert.ok(document.paths['/keyed'].post.responses[422])
  })

  it('reports the issues of all parts of a request together', async () => {
    const { status, body } = await ask('GET', '/things/x?n=y')
    assert.equal(status, 422)
    assert.deepEqual(
      body.detail.map(({ loc }: { loc: unknown }) => loc),
      [
        ['query', 'n'],
        ['path', 'id'],
      ],
    )
  })

  it('accepts multipart forms and ignores files', async () => {
    const form = new FormData()
    form.append('username', 'a@b.c')
    form.append('password', 'x y')
    form.append('avatar', new Blob(['picture']), 'avatar.png')
    const sent = new Response(form)
    const headers = { 'content-type': sent.headers.get('content-type') as string }
    assert.deepEqual((await ask('POST', '/form', await sent.text(), headers)).body, { username: 'a@b.c', password: 'x y' })
    assert.equal((await ask('POST', '/form', 'no parts', headers)).status, 422)
  })

  it('treats an empty form field as missing, and refuses JSON as a form', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    assert.deepEqual((await ask('POST', '/form', 'username=a%40b.c&password=x+y', form)).body, { username: 'a@b.c', password: 'x y' })
    const empty = await ask('POST', '/form', 'username=&password=x', form)
    assert.deepEqual(
      empty.body.detail.map(({ type, loc }: { type: string; loc: unknown }) => [type, loc]),
      [['missing', ['body', 'username']]],
    )
    const json = await ask('POST', '/form', { username: 'a', password: 'b' })
    assert.deepEqual([json.status, json.body.detail.length], [422, 1])
    assert.match(json.body.detail[0].msg, /expected a form: Content-Type application\/x-www-form-urlencoded/)
  })

  it('ignores a body where none is expected', async () => {
    assert.equal((await ask('POST', '/bodyless', '{nonsense')).status, 200)
  })

  it('tells a client of the tool protocol that asks at another path where it is', async () => {
    for (const path of ['/sse', '/sse?session=1', '/message', '/messages/', '/mcp/http', '/mcp/messages'])
      assert.match(String((await ask('GET', path)).body.detail), /^Not Found: Streamable HTTP at \/mcp; .* at \/mcp\/sse$/, path)
  })

  it('answers 404, 405 with Allow, and HEAD', async () => {
    assert.deepEqual([(await ask('GET', '/nowhere')).status, (await ask('GET', '/nowhere')).body], [404, { detail: 'Not Found' }])
    const wrong = await ask('GET', '/thing')
    assert.deepEqual([wrong.status, wrong.headers.allow, wrong.body], [405, 'POST', { detail: 'Method Not Allowed' }])
    assert.equal((await ask('HEAD', '/things/1')).status, 200)
  })

  it('refuses a body over 10 MB with 413', async () => {
    const { status, body } = await ask('POST', '/thing', `{"name":"${'x'.repeat(10 * 1024 * 1024)}"}`)
    assert.deepEqual([status, body], [413, { detail: 'Request body is larger than 10 MB' }])
  })

  it('refuses to send an answer over the size limit', async () => {
    const { status, body } = await ask('POST', '/large')
    assert.equal(status, 400)
    assert.match(body.detail, /larger than 50 MB/)
  })

  it('answers refusals as they are, and reveals nothing of internal failures', async () => {
    assert.deepEqual((await ask('POST', '/refuses')).body, { detail: 'not yours', why: 1 })
    assert.deepEqual((await ask('POST', '/rule')).body.detail, [
      { type: 'value_error', loc: ['body', 'x'], msg: 'must be less than y', input: 3, ctx: { error: 'must be less than y' } },
    ])
    const broken = await ask('POST', '/breaks')
    assert.deepEqual([broken.status, broken.body], [500, { detail: 'Internal Server Error' }])
    assert.ok(!JSON.stringify(lines).includes('secret words'))
    assert.ok(lines.some(({ message, fields }) => message === 'request failed' && fields.route === '/breaks'))
    assert.equal((await ask('POST', '/wrong-answer')).status, 500)
    const outage = await ask('POST', '/outage')
    assert.deepEqual([outage.status, outage.headers['retry-after']], [503, '1'])
  })

  it('answers 503 at the time limit, and aborts the handler', async () => {
    const answer = ask('POST', '/slow')
    while (clock.sleepers.length === 0) await new Promise((resolve) => setImmediate(resolve))
    await clock.advance(60_000)
    const { status, body } = await answer
    assert.equal(status, 503)
    assert.match(body.detail, /60 s/)
    assert.deepEqual(clock.sleepers, [])
  })

  it('limits requests per endpoint, with Retry-After', async () => {
    const first = await ask('POST', '/limited')
    assert.deepEqual(
      [first.headers['ratelimit-limit'], first.headers['ratelimit-remaining'], first.headers['ratelimit-policy']],
      ['2', '1', '2;w=60'],
    )
    await ask('POST', '/limited')
    const refused = await ask('POST', '/limited')
    assert.equal(refused.status, 429)
    assert.match(refused.body.detail, /2 requests per 60 s/)
    assert.equal(refused.headers['retry-after'], '30')
    assert.equal(refused.headers['ratelimit-remaining'], '0')
    await clock.advance(30_000)
    assert.equal((await ask('POST', '/limited')).status, 200)
  })

  it('limits all sessions of a user together, before the database is queried', async () => {
    const of = (session: number) => ask('POST', '/mine-limited', undefined, { authorization: `Bearer session${session}` })
    for (const session of [1, 1, 2, 2, 3, 3, 4, 4, 5]) assert.equal((await of(session)).status, 200)
    const own = await of(1)
    assert.deepEqual([own.status, own.body.detail], [429, 'Rate limit exceeded: 2 requests per 60 s'])
    const last = await of(6)
    assert.deepEqual([last.status, last.headers['ratelimit-remaining'], last.headers['ratelimit-limit']], [200, '0', '10'])
    const before = looked
    const together = await of(7)
    assert.deepEqual([together.status, together.body.detail], [429, 'Rate limit exceeded: 10 requests per 60 s of all sessions of a user'])
    assert.equal(together.headers['retry-after'], '6')
    assert.equal(looked, before)
    await clock.advance(6_000)
    assert.equal((await of(7)).status, 200)
  })

  it('requires a session token where declared, with WWW-Authenticate', async () => {
    const bearer = (token: string) => ask('POST', '/mine', undefined, { authorization: `Bearer ${token}` })
    assert.deepEqual((await bearer('session')).body, { tier: 'session', userId: 1, sessionId: 'session' })
    for (const answer of [
      await ask('POST', '/mine'),
      await bearer('other'),
      await bearer('user'),
      await bearer('session404'),
      await ask('POST', '/mine', undefined, { authorization: 'Basic session' }),
    ]) {
      assert.equal(answer.status, 401)
      assert.equal(answer.headers['www-authenticate'], 'Bearer')
      assert.equal(typeof answer.body.detail, 'string')
    }
  })

  it('allows pages of the configured origins to call, and no others', async () => {
    const preflight = (origin: string) => ask('OPTIONS', '/thing', undefined, { origin, 'access-control-request-method': 'POST' })
    const { status, headers } = await preflight('https://page.example')
    assert.deepEqual([status, headers['access-control-allow-origin']], [204, 'https://page.example'])
    assert.match(String(headers['access-control-allow-headers']), /authorization.*idempotency-key/)
    assert.equal((await preflight('https://other.example')).headers['access-control-allow-origin'], undefined)
    const answer = await ask('POST', '/thing', good, { origin: 'https://page.example' })
    assert.deepEqual([answer.status, answer.headers['access-control-allow-origin']], [200, 'https://page.example'])
    assert.match(String(answer.headers['access-control-expose-headers']), /retry-after.*x-execution-id/)
    assert.match(String(answer.headers.vary), /origin/i)
    assert.equal((await ask('POST', '/thing', good, { origin: 'https://other.example' })).headers['access-control-allow-origin'], undefined)
  })

  it('answers an OPTIONS request that is not a preflight with 405', async () => {
    const { status, headers } = await ask('OPTIONS', '/thing', undefined, { origin: 'https://page.example' })
    assert.deepEqual([status, headers.allow, headers['access-control-allow-origin']], [405, 'POST', 'https://page.example'])
  })

  it('describes every route in OpenAPI 3.1, with a tag and its refusals', async () => {
    const { body } = await ask('GET', '/openapi.json')
    assert.equal(body.openapi, '3.1.0')
    assert.deepEqual(body.components.schemas.HTTPValidationError.properties.detail.items, { $ref: '#/components/schemas/ValidationError' })
    for (const { method, path, auth } of routes) {
      const operation = body.paths[path.replace(':id', '{id}')][method.toLowerCase()]
      assert.deepEqual(operation.tags, ['test'])
      assert.ok(operation.responses[200] && operation.responses[429] && operation.responses[500])
      assert.equal(operation.responses[401] !== undefined, auth !== 'none')
      assert.deepEqual(operation.responses[429].content['application/json'].schema, { $ref: '#/components/schemas/HTTPError' })
      const headersOf = (answered: number) => Object.keys(operation.responses[answered]?.headers ?? {}).sort()
      const limits = ['RateLimit-Limit', 'RateLimit-Policy', 'RateLimit-Remaining', 'RateLimit-Reset']
      assert.deepEqual([headersOf(200), headersOf(429)], [limits, [...limits, 'Retry-After']])
      assert.deepEqual([headersOf(401), headersOf(503)], [auth === 'none' ? [] : ['WWW-Authenticate'], ['Retry-After']])
    }
    const ids = Object.values(body.paths as Record<string, Record<string, { operationId: string }>>).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    )
    assert.equal(new Set(ids).size, ids.length)
    assert.deepEqual(body.paths['/form'].post.requestBody.content['application/x-www-form-urlencoded'].schema.required, [
      'username',
      'password',
    ])
  })

  it('measures by route and status', async () => {
    const { text } = await metrics.render()
    assert.match(text, /test_http_requests_total\{method="POST",route="\/limited",status="429"\} 1/)
    assert.match(text, /test_http_requests_under_way 0/)
  })
})
