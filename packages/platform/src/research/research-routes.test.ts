import assert from 'node:assert/strict'
import { createManualClock } from '@keelson/runtime'
import { createToolWorld, type ToolWorld } from '../market/market-world.test-support.ts'
import { type JsonServer, openJsonServer } from './json-server.test-support.ts'
import { openResearchSources } from './research-sources.ts'

const PATH = '/api/v1/multi-agent/research/preview'

describe('POST /api/v1/multi-agent/research/preview', () => {
  let server: JsonServer
  let world: ToolWorld
  let closeSources: () => void
  before(async () => {
    server = await openJsonServer()
    const analytics = { url: server.url, key: null }
    const sources = openResearchSources(
      { subgraph: { url: `${server.url}/graph`, hosts: ['graph.example.org'] }, analytics },
      createManualClock(),
    )
    closeSources = () => sources.close()
    world = await createToolWorld({ sources: { research: sources } })
  })
  after(async () => {
    await world.close()
    closeSources()
    server.close()
  })
  beforeEach(() => {
    world.away = false
    server.answer = ({ path }) => {
      if (path === '/graph') return { body: { data: { pools: [{ id: '0x1' }] } } }
      if (path.endsWith('/execute')) return { body: { execution_id: '1', state: 'QUERY_STATE_PENDING' } }
      if (path.endsWith('/status')) return { body: { state: 'QUERY_STATE_COMPLETED' } }
      return { body: { result: { rows: [{ n: 1 }] } } }
    }
  })
  const ask = (json: unknown, token = world.token) => world.ask('POST', PATH, { token, json })

  it('queries all sources at once', async () => {
    const { status, body } = await ask({
      gql: 'query($n: Int) { pools(first: $n) { id } }',
      variables: { n: 1 },
      analytics_query_id: 7,
      analytics_params: { days: 7 },
      price_symbol: 'ETH',
      tvl_chain: 'test',
      defi_calls: [{ tool_name: 'pools_list', arguments: {} }],
    })
    assert.equal(status, 200)
    assert.deepEqual(body.graph_data, { pools: [{ id: '0x1' }] })
    assert.deepEqual([body.analytics_state, body.analytics_rows], ['QUERY_STATE_COMPLETED', [{ n: 1 }]])
    assert.deepEqual(
      body.defi_results.map(({ tool }: { tool: string }) => tool),
      ['pools_list', 'tvl_get', 'token_price'],
    )
    assert.deepEqual(body.errors, [])
    assert.match(body.summary, /Price of ETH on test: 2500 USD/)
  })

  it('requires a session token', async () => {
    assert.equal((await world.ask('POST', PATH, { json: {} })).status, 401)
    assert.equal((await ask({}, world.userToken)).status, 401)
  })

  it('answers with the available sources, and 503 with every reason when all are away', async () => {
    world.away = true
    const some = await ask({ gql: '{ pools { id } }', price_symbol: 'ETH' })
    assert.equal(some.status, 200)
    assert.deepEqual(some.body.errors, [{ source: 'token_price', reason: 'unreachable', detail: 'chain test (127.0.0.1): no connection' }])
    server.answer = () => ({ status: 500, body: {} })
    const none = await ask({ gql: '{ pools { id } }', analytics_query_id: 7, price_symbol: 'ETH' })
    assert.deepEqual([none.status, none.headers['retry-after']], [503, '5'])
    assert.match(none.body.detail, /^No source gave an answer: subgraph \(127.*analytics \(127.*token_price: chain test/)
    assert.deepEqual(
      none.body.errors.map(({ source }: { source: string }) => source),
      ['subgraph', 'analytics', 'token_price'],
    )
  })

  it('refuses a subgraph that is not allowed', async () => {
    for (const subgraph of [
      'https://evil.example.org/',
      `${server.url}/else`,
      'http://169.254.169.254/latest/meta-data',
      'https://[::1]/',
    ]) {
      const { status, body } = await ask({ subgraph, gql: '{ a }' })
      assert.deepEqual([status, body.errors[0].reason], [400, 'not-allowed'], subgraph)
    }
  })

  it('validates the request', async () => {
    const calls = Array.from({ length: 11 }, () => ({ tool_name: 'tvl_get' }))
    for (const [json, type, at] of [
      [{ gql: 'mutation { burn }' }, 'value_error', 'gql'],
      [{ gql: 'x'.repeat(20_001) }, 'string_too_long', 'gql'],
      [{ variables: { a: 'x'.repeat(20_000) } }, 'value_error', 'variables'],
      [{ analytics_query_id: 'seven' }, 'int_parsing', 'analytics_query_id'],
      [{ analytics_query_id: -1 }, 'greater_than_equal', 'analytics_query_id'],
      [{ defi_calls: calls }, 'too_long', 'defi_calls'],
      [{ defi_calls: [{}] }, 'missing', 'defi_calls'],
      [{ pools_limit: 101 }, 'less_than_equal', 'pools_limit'],
    ] as const) {
      const { status, body } = await ask(json)
      assert.deepEqual([status, body.detail[0].type, body.detail[0].loc[1]], [422, type, at])
    }
  })

  it("waits for a subgraph for most of the endpoint's time, then answers 503", async () => {
    server.answer = () => null
    const answer = ask({ gql: '{ a }' })
    while (!world.clock.sleepers.some((at) => at >= world.clock.nowMs() + 120_000)) await new Promise((resolve) => setImmediate(resolve))
    let over = false
    void answer.then(() => (over = true))
    await world.clock.advance(114_000)
    assert.equal(over, false)
    await world.clock.advance(1_000)
    const { status, body } = await answer
    assert.equal(status, 503)
    assert.deepEqual(body.errors, [{ source: 'subgraph', reason: 'timeout', detail: 'subgraph: no answer within 115 s' }])
  })
})
