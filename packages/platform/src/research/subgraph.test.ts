import assert from 'node:assert/strict'
import { createHttpClient, type HttpClient } from '@keelson/runtime'
import { DEFAULT_TIME_LIMITS_MS } from '../http/add-route.ts'
import { SourceError } from '../market/source-error.ts'
import { SOURCE_TIMEOUT_MS } from './analytics.ts'
import { type JsonServer, openJsonServer } from './json-server.test-support.ts'
import { createPublicLookup } from './public-lookup.ts'
import { createSubgraph } from './subgraph.ts'

const QUESTION = { subgraph: null, gql: '{ a }', variables: { n: 1 } }
const signal = new AbortController().signal

describe('subgraphs', () => {
  const configured = createHttpClient()
  const guarded = createHttpClient({ lookup: createPublicLookup(async () => [{ address: '127.0.0.1', family: 4 }]) })
  let server: JsonServer
  before(async () => {
    server = await openJsonServer()
  })
  after(() => {
    configured.close()
    guarded.close()
    server.close()
  })
  beforeEach(() => {
    server.asked = []
    server.answer = () => ({ body: { data: { a: [1, 2] } } })
  })
  const ask = (more: Partial<typeof QUESTION | { subgraph: string }> = {}, url: string | null = `${server.url}/graph`) =>
    createSubgraph({ url, hosts: ['graph.example.org'] }, { configured, guarded })({ ...QUESTION, ...more }, signal)
  const rejection = async () => {
    const error = await ask().then(
      () => null,
      (thrown: unknown) => thrown,
    )
    assert.ok(error instanceof SourceError, String(error))
    return `${error.reason}: ${error.message}`
  }

  it('have the time limit of research', async () => {
    const asked: number[] = []
    const timed: HttpClient = {
      send: (request) => {
        asked.push(request.timeoutMs)
        return configured.send(request)
      },
      close: () => undefined,
    }
    const askTimed = createSubgraph({ url: `${server.url}/graph`, hosts: [] }, { configured: timed, guarded })
    assert.ok((await askTimed(QUESTION, signal)).ok)
    assert.deepEqual(asked, [SOURCE_TIMEOUT_MS])
    assert.ok(SOURCE_TIMEOUT_MS > 100_000 && SOURCE_TIMEOUT_MS < DEFAULT_TIME_LIMITS_MS.research)
  })

  it('are the configured one by default, and when it is named', async () => {
    for (const subgraph of [null, `${server.url}/graph`]) {
      const outcome = await ask(subgraph === null ? {} : { subgraph })
      assert.ok(outcome.ok)
      assert.deepEqual([outcome.value.data, outcome.value.trouble], [{ a: [1, 2] }, null])
    }
    const [asked] = server.asked
    assert.deepEqual([asked?.method, asked?.path, asked?.body], ['POST', '/graph', '{"query":"{ a }","variables":{"n":1}}'])
    const none = await ask({}, null)
    assert.ok(!none.ok && none.reason === 'not-configured')
  })

  it('of callers are queried only on a listed and public host', async () => {
    for (const subgraph of [`${server.url}/other`, `${server.url}/graph/../other`, 'https://evil.example.org/', 'https://[::1]/']) {
      const outcome = await ask({ subgraph })
      assert.ok(!outcome.ok && outcome.reason === 'not-allowed', subgraph)
    }
    const outcome = await ask({ subgraph: 'https://graph.example.org/' })
    assert.ok(!outcome.ok && outcome.reason === 'not-allowed' && /an address that is not public/.test(outcome.detail))
    assert.deepEqual(server.asked, [])
  })

  it('return data beside errors', async () => {
    server.answer = () => ({ body: { data: { a: null }, errors: [{ message: 'indexing' }, { message: 'later' }] } })
    const outcome = await ask()
    assert.ok(outcome.ok)
    assert.deepEqual(outcome.value.data, { a: null })
    assert.match(outcome.value.trouble ?? '', /subgraph \(127\.0\.0\.1:\d+\): indexing; later/)
  })

  it('that refuse a query make it invalid; a failure while it runs does not', async () => {
    for (const status of [200, 400]) {
      server.answer = () => ({ status, body: { errors: [{ message: 'no field a' }] } })
      const outcome = await ask()
      assert.ok(!outcome.ok && outcome.reason === 'invalid' && /refuses the query: no field a/.test(outcome.detail))
    }
    server.answer = () => ({ body: { data: null, errors: [{ message: 'store is away' }] } })
    const outcome = await ask()
    assert.ok(outcome.ok && outcome.value.data === null && outcome.value.trouble?.endsWith('store is away'))
  })

  it('that answer nothing usable fail with the reason', async () => {
    for (const [reply, why] of [
      [{ status: 302, headers: { location: 'http://127.0.0.1:1/' } }, /^refused: .*redirect \(302\), which is not followed/],
      [{ headers: { 'content-type': 'text/html' }, body: '{"data":{}}' }, /^bad-answer: .*content type/],
      [{ status: 500, headers: { 'content-type': 'text/html' }, body: '<p>' }, /^refused: .*got 500/],
      [{ status: 400, body: { error: 'no field a' } }, /^refused: .*got 400/],
      [{ status: 503, body: { errors: [{ message: 'later' }] } }, /^refused: .*got 503: later/],
      [{ body: {} }, /^bad-answer: .*got neither/],
      [{ body: '[]' }, /^bad-answer: /],
      [{ body: { data: 'x'.repeat(5 * 1024 * 1024) } }, /^too-large: /],
      [{ body: `{"data":${'{"a":'.repeat(80)}1${'}'.repeat(81)}` }, /^bad-answer: .*nested at most 64/],
    ] as const) {
      server.answer = () => reply
      assert.match(await rejection(), why)
    }
    server.answer = () => ({
      headers: { 'content-type': 'application/graphql-response+json; charset=utf-8' },
      body: { data: { t: '[[{"' } },
    })
    assert.ok((await ask()).ok)
  })
})
