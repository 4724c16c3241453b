import assert from 'node:assert/strict'
import { createManualClock, type ManualClock } from '@keelson/runtime'
import { ApiError } from '../http/api-error.ts'
import type { Defidata } from '../market/defidata/defidata.ts'
import { SourceError } from '../market/source-error.ts'
import { problem, succeeded } from '../market/tool-outcome.ts'
import type { DefidataResult } from '../schemas/defidata.ts'
import { ResearchRequest, type ResearchResponse } from '../schemas/research.ts'
import type { AnalyticsRun } from './analytics.ts'
import { answerResearch, createResearch, type ResearchDependencies } from './research.ts'

const never = () => new Promise<never>(() => undefined)
const RUN: AnalyticsRun = {
  label: 'analytics (a)',
  queryId: 7,
  state: 'QUERY_STATE_COMPLETED',
  totalRows: 1,
  trouble: null,
  rows: [{ pool: 'x', volume: '12.5' }],
}
const price = (symbol: string): DefidataResult => ({
  tool: 'token_price',
  result: { symbol, chain: 'devnet', price_usd: '2500', as_of: null, source: 'chain devnet (h)' },
})
const EVERYTHING = ResearchRequest.parse({
  gql: '{ a }',
  analytics_query_id: 7,
  price_symbol: 'ETH',
  tvl_chain: 'devnet',
  pools_chain: 'devnet',
  pools_limit: 3,
  defi_calls: [{ tool_name: 'token_price', arguments: { symbol: 'BTC' } }],
})

describe('research', () => {
  let clock: ManualClock
  let called: unknown[]
  beforeEach(() => {
    clock = createManualClock()
    called = []
  })
  const defidata: Pick<Defidata, 'invoke'> = {
    async invoke(request) {
      called.push(request)
      return succeeded(price(String(request.arguments?.symbol ?? request.tool_name)))
    },
  }
  const run = (request: unknown, deps: Partial<ResearchDependencies> = {}, signal = new AbortController().signal) =>
    createResearch({
      askSubgraph: async () => ({ ok: true, value: { label: 'subgraph (g)', data: { a: [1, 2, 3] }, trouble: null } }),
      runAnalytics: async () => succeeded(RUN),
      defidata,
      clock,
      ...deps,
    }).run(ResearchRequest.parse(request), signal)
  const away = (source: string) => async () => {
    throw new SourceError(source, 'unreachable', 'h cannot be reached')
  }
  const failing: Partial<ResearchDependencies> = {
    askSubgraph: away('subgraph (g)'),
    runAnalytics: away('analytics (a)'),
    defidata: { ...defidata, invoke: away('chain devnet (h)') },
  }
  const refusal = (response: ResearchResponse): ApiError => {
    try {
      answerResearch(response)
    } catch (error) {
      if (error instanceof ApiError) return error
      throw error
    }
    throw new Error('expected a refusal')
  }

  it('queries everything requested, shortcuts included, and summarizes the figures', async () => {
    const response = await run(EVERYTHING)
    assert.deepEqual(response.graph_data, { a: [1, 2, 3] })
    assert.deepEqual([response.analytics_state, response.analytics_rows], [RUN.state, RUN.rows])
    assert.deepEqual(called, [
      { tool_name: 'token_price', arguments: { symbol: 'BTC' } },
      { tool_name: 'tvl_get', arguments: { chain: 'devnet' } },
      { tool_name: 'token_price', arguments: { symbol: 'ETH' } },
      { tool_name: 'pools_list', arguments: { chain: 'devnet', limit: 3 } },
    ])
    assert.equal(response.defi_results.length, 4)
    assert.deepEqual(response.errors, [])
    assert.deepEqual(response.summary.split('\n').slice(0, 3), [
      'The subgraph (g) answered a (3 entries).',
      'Query 7 of analytics (a) is QUERY_STATE_COMPLETED: 1 row of pool, volume.',
      'Price of BTC on devnet: 2500 USD, from chain devnet (h).',
    ])
    assert.equal(answerResearch(response), response)
  })

  it('explains the fields for an empty request', async () => {
    for (const request of [{}, { gql: null, defi_calls: [] }, { gql: '  ', subgraph: '' }]) {
      const response = answerResearch(await run(request))
      assert.deepEqual(
        [response.graph_data, response.analytics_rows, response.analytics_state, response.defi_results, response.errors],
        [null, [], null, [], []],
      )
      assert.match(response.summary, /^Nothing was asked: give gql/)
    }
  })

  it('reports each failed source beside the results of the others', async () => {
    const response = answerResearch(await run(EVERYTHING, { ...failing, defidata }))
    assert.equal(response.defi_results.length, 4)
    assert.deepEqual(
      response.errors.map(({ source, reason }) => [source, reason]),
      [
        ['subgraph', 'unreachable'],
        ['analytics', 'unreachable'],
      ],
    )
    assert.match(response.summary, /Not answered, or not in full: subgraph \(unreachable\): subgraph \(g\): h cannot be reached/)
  })

  it('is a 503 when no source answers, with every reason', async () => {
    const { status, message, headers, fields } = refusal(await run(EVERYTHING, failing))
    assert.deepEqual([status, headers['retry-after']], [503, '5'])
    assert.match(message, /^No source gave an answer: subgraph \(g\): h cannot.*analytics \(a\): h cannot.*tvl_get: chain devnet \(h\)/)
    assert.equal((fields.errors as unknown[]).length, 6)
  })

  it('is a 400 when only the request is at fault, and has no Retry-After when nothing is configured', async () => {
    const notAllowed = async () => ({ ok: false, reason: 'not-allowed', detail: 'not this one' }) as const
    assert.equal(refusal(await run({ gql: '{ a }' }, { askSubgraph: notAllowed })).status, 400)
    for (const half of [{ variables: { a: 1 } }, { subgraph: 'https://x.example.org/' }, { analytics_params: { a: 1 } }])
      assert.equal(refusal(await run(half)).status, 400, JSON.stringify(half))
    const none = refusal(await run({ analytics_query_id: 1 }, { runAnalytics: null }))
    assert.deepEqual([none.status, none.headers], [503, {}])
    const unknown = { ...defidata, invoke: async () => problem('not-found', 'no tool x') }
    assert.equal(refusal(await run({ defi_calls: [{ tool_name: 'x' }] }, { defidata: unknown })).status, 400)
  })

  it('treats a query that ended without rows as an answer with its state', async () => {
    const failed = { ...RUN, state: 'QUERY_STATE_FAILED', rows: null, trouble: 'analytics (a): query 7 ended as QUERY_STATE_FAILED' }
    const response = answerResearch(await run({ analytics_query_id: 7 }, { runAnalytics: async () => succeeded(failed) }))
    assert.deepEqual([response.analytics_state, response.analytics_rows], ['QUERY_STATE_FAILED', []])
    assert.deepEqual(
      response.errors.map(({ source, reason }) => [source, reason]),
      [['analytics', 'refused']],
    )
  })

  it("gives each source most of the endpoint's time, and keeps the last state", async () => {
    const slow = run(EVERYTHING, {
      askSubgraph: never,
      runAnalytics: (_question, _signal, onState) => {
        onState({ ...RUN, state: 'QUERY_STATE_EXECUTING', rows: null })
        return never()
      },
    })
    await clock.advance(114_999)
    assert.ok(clock.sleepers.length > 0)
    await clock.advance(1)
    const response = await slow
    assert.deepEqual(
      response.errors.map(({ source, reason }) => [source, reason]),
      [
        ['subgraph', 'timeout'],
        ['analytics', 'timeout'],
      ],
    )
    assert.deepEqual([response.analytics_state, response.defi_results.length], ['QUERY_STATE_EXECUTING', 4])
    assert.deepEqual(clock.sleepers, [])
  })

  it('is no answer with only the state of a running query', async () => {
    const slow = run(
      { analytics_query_id: 7 },
      {
        runAnalytics: (_question, _signal, onState) => {
          onState({ ...RUN, state: 'QUERY_STATE_PENDING', rows: null })
          return never()
        },
      },
    )
    await clock.advance(115_000)
    assert.equal(refusal(await slow).status, 503)
  })

  it('rejects with its signal, and throws unexpected errors', async () => {
    const giveUp = new AbortController()
    const slow = run(EVERYTHING, { askSubgraph: never }, giveUp.signal)
    giveUp.abort(new Error('cancelled'))
    await assert.rejects(slow, /cancelled/)
    assert.deepEqual(clock.sleepers, [])
    const broken = { ...defidata, invoke: () => Promise.reject(new TypeError('a bug')) }
    await assert.rejects(run(EVERYTHING, { defidata: broken }), TypeError)
  })

  it('limits concurrent requests', async () => {
    const research = createResearch({ askSubgraph: never, runAnalytics: null, defidata, clock })
    const many = Array.from({ length: 32 }, () => research.run({ gql: '{ a }' }, new AbortController().signal))
    await assert.rejects(research.run({ gql: '{ a }' }, new AbortController().signal), SourceError)
    await clock.advance(115_000)
    assert.equal((await Promise.all(many)).length, 32)
    const after = research.run({ price_symbol: 'ETH' }, new AbortController().signal)
    assert.equal((await after).defi_results.length, 1)
  })

  it('shortens outside names to one line', async () => {
    const data = { [`a\nb\u202e${'x'.repeat(100)}`]: 'ignore\nall' }
    const { summary } = await run(
      { gql: '{ a }' },
      { askSubgraph: async () => ({ ok: true, value: { label: 'subgraph (g)', data, trouble: null } }) },
    )
    assert.equal(summary, `The subgraph (g) answered a b ${'x'.repeat(60)}… (ignore all).`)
  })
})
