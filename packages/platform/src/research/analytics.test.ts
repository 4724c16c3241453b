import assert from 'node:assert/strict'
import { createHttpClient, createManualClock, Secret } from '@keelson/runtime'
import { SourceError } from '../market/source-error.ts'
import { type AnalyticsRun, createAnalytics } from './analytics.ts'
import { type JsonServer, openJsonServer, type Reply } from './json-server.test-support.ts'

const COMPLETED = 'QUERY_STATE_COMPLETED'

describe('analytics queries', () => {
  const http = createHttpClient()
  let server: JsonServer
  before(async () => {
    server = await openJsonServer()
  })
  after(() => {
    http.close()
    server.close()
  })
  beforeEach(() => {
    server.asked = []
  })

  const serve = (states: readonly (string | Reply)[], results: Reply = { body: { state: COMPLETED, result: { rows: [{ a: 1 }] } } }) => {
    let at = 0
    server.answer = ({ path }) => {
      if (path.endsWith('/execute')) return { body: { execution_id: 'X1', state: 'QUERY_STATE_PENDING' } }
      if (path.includes('/results')) return results
      const state = states[Math.min(at++, states.length - 1)] as string | Reply
      return typeof state === 'string' ? { body: { execution_id: 'X1', state } } : state
    }
  }
  const run = async (signal = new AbortController().signal) => {
    const clock = createManualClock()
    const waits: number[] = []
    const seen: AnalyticsRun[] = []
    const noted = {
      ...clock,
      sleep: async (ms: number) => {
        waits.push(ms)
        signal.throwIfAborted()
      },
    }
    const analytics = createAnalytics({ url: `${server.url}/base/`, key: new Secret('key-1') }, http, noted)
    const outcome = await analytics({ queryId: 7, params: { chain: 'x', n: 2 } }, signal, (one) => seen.push(one))
    return { outcome, waits, states: seen.map(({ state }) => state) }
  }
  const rejection = async () => {
    const error = await run().then(
      () => null,
      (thrown: unknown) => thrown,
    )
    assert.ok(error instanceof SourceError, String(error))
    return `${error.reason}: ${error.message}`
  }

  it('are started with parameters and key, polled with growing waits, and read when complete', async () => {
    serve(['QUERY_STATE_PENDING', 'QUERY_STATE_EXECUTING', 'QUERY_STATE_EXECUTING', COMPLETED])
    const { outcome, waits, states } = await run()
    assert.ok(outcome.ok)
    assert.deepEqual([outcome.value.state, outcome.value.rows, outcome.value.trouble], [COMPLETED, [{ a: 1 }], null])
    assert.deepEqual(waits, [250, 500, 1_000])
    assert.deepEqual(states, ['QUERY_STATE_PENDING', 'QUERY_STATE_EXECUTING', 'QUERY_STATE_EXECUTING', COMPLETED])
    const [first, ...rest] = server.asked
    assert.deepEqual(
      [first?.method, first?.path, first?.body],
      ['POST', '/base/api/v1/query/7/execute', '{"query_parameters":{"chain":"x","n":2}}'],
    )
    assert.equal(rest.at(-1)?.path, '/base/api/v1/execution/X1/results?limit=1000')
    assert.ok(server.asked.every(({ headers }) => headers['x-dune-api-key'] === 'key-1'))
  })

  it('are polled at least every five seconds', async () => {
    serve([...Array.from({ length: 8 }, () => 'QUERY_STATE_EXECUTING'), COMPLETED])
    assert.deepEqual((await run()).waits, [250, 500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000])
  })

  it('that end without rows report their state and the reason', async () => {
    for (const state of ['QUERY_STATE_FAILED', 'QUERY_STATE_CANCELLED', 'QUERY_STATE_EXPIRED']) {
      serve([{ body: { state, error: { type: 'X', message: 'column b is missing' } } }])
      const { outcome } = await run()
      assert.ok(outcome.ok)
      assert.deepEqual([outcome.value.state, outcome.value.rows], [state, null])
      assert.match(outcome.value.trouble ?? '', new RegExp(`query 7 ended as ${state}: column b is missing`))
    }
  })

  it('with too many rows are cut, and report it', async () => {
    const rows = Array.from({ length: 1_200 }, (_, i) => ({ i }))
    serve([COMPLETED], { body: { state: COMPLETED, result: { rows, metadata: { total_row_count: 9_000 } } } })
    const { outcome } = await run()
    assert.ok(outcome.ok)
    assert.equal(outcome.value.rows?.length, 1_000)
    assert.match(outcome.value.trouble ?? '', /9000 rows, the first 1000/)
  })

  it('survive a lost state, and fail at the third in a row', async () => {
    const lost: Reply = { status: 502, headers: { 'content-type': 'text/html' }, body: '<p>' }
    serve([lost, { status: 429, body: { error: 'slow down' } }, 'QUERY_STATE_EXECUTING', lost, COMPLETED])
    assert.ok((await run()).outcome.ok)
    serve([lost])
    assert.match(await rejection(), /^refused: analytics \(127\.0\.0\.1:\d+\): expected status 200, got 502/)
    assert.equal(server.asked.filter(({ path }) => path.endsWith('/status')).length, 4 + 1 + 3)
  })

  it('name what is wrong: query, parameters, key, form, redirect, size', async () => {
    const start = (reply: Reply) => {
      server.answer = () => reply
    }
    start({ status: 404, body: { error: 'Query not found' } })
    const missing = (await run()).outcome
    assert.ok(!missing.ok && missing.reason === 'not-found')
    start({ status: 400, body: { error: 'bad parameter' } })
    const wrong = (await run()).outcome
    assert.ok(!wrong.ok && wrong.reason === 'invalid')
    for (const [reply, why] of [
      [{ status: 401, body: { error: 'invalid API Key' } }, /^refused: .*got 401: the key is not accepted/],
      [{ body: { execution_id: '../../x', state: COMPLETED } }, /^bad-answer: .*another form/],
      [{ body: 'no JSON' }, /^bad-answer: .*expected JSON/],
      [{ status: 307, headers: { location: 'http://127.0.0.1/' } }, /^refused: .*redirect \(307\)/],
      [{ body: `"${'x'.repeat(5 * 1024 * 1024)}"` }, /^too-large: /],
      [{ body: '['.repeat(100) + ']'.repeat(100) }, /^bad-answer: .*nested/],
    ] as const) {
      start(reply)
      const said = await rejection()
      assert.match(said, why)
      assert.doesNotMatch(said, /key-1/)
    }
    serve([{ body: { state: 'DONE' } }])
    assert.match(await rejection(), /^bad-answer/)
  })
})
