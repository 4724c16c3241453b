import assert from 'node:assert/strict'
import { createToolWorld, TOKEN, type ToolWorld } from './market-world.test-support.ts'

const BASE = '/api/v1/multi-agent'
const GENESIS_ADDRESS = '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'
const WALLET = `0x${'12'.repeat(20)}`
const RAW_TX = `01000000${'01'}${'22'.repeat(32)}00000000${'00'}ffffffff${'01'}0100000000000000${'00'}00000000`

const CALLS = [
  { method: 'GET', path: '/bitcoin/tools' },
  { method: 'GET', path: '/bitcoin/latest-block' },
  { method: 'POST', path: '/bitcoin/tx/decode', json: { raw_tx: RAW_TX } },
  { method: 'POST', path: '/bitcoin/address/validate', json: { address: GENESIS_ADDRESS } },
  { method: 'POST', path: '/oracle/price', json: { chain: 'evm', pair: 'ETH/USD' } },
  { method: 'GET', path: '/defidata/tools' },
  { method: 'POST', path: '/defidata/invoke', json: { tool_name: 'pools_list', arguments: { limit: 5 } } },
  { method: 'GET', path: '/exchange/tools' },
  { method: 'GET', path: '/exchange/stream' },
  { method: 'POST', path: '/exchange/subscribe', json: { symbol: 'ETHUSD', streams: ['trade'] } },
  { method: 'POST', path: '/exchange/unsubscribe', json: { subscription_id: 'none' } },
  { method: 'POST', path: '/search/refresh' },
  { method: 'POST', path: '/wallet/evm/balance', json: { address: WALLET } },
] as const
type Call = (typeof CALLS)[number]

describe('the tools over HTTP', () => {
  let world: ToolWorld
  beforeEach(async () => {
    world = await createToolWorld()
  })
  afterEach(() => world.close())

  const send = (to: ToolWorld, { method, path, ...rest }: Call, token: string | undefined = to.token) =>
    to.ask(method, `${BASE}${path}`, { ...rest, ...(token === undefined ? {} : { token }) })
  const post = (path: string, json: unknown) => world.ask('POST', `${BASE}${path}`, { token: world.token, json })
  const get = (path: string) => world.ask('GET', `${BASE}${path}`, { token: world.token })
  const assertRefused = ({ status, body }: { readonly status: number; readonly body: unknown }, expected: number, about: RegExp) => {
    assert.equal(status, expected, JSON.stringify(body))
    assert.match((body as { detail: string }).detail, about)
  }

  it('take the token of a session, and no other', async () => {
    for (const call of CALLS) {
      const without = await world.ask(call.method, `${BASE}${call.path}`)
      const ofUser = await send(world, call, world.userToken)
      for (const { status, headers } of [without, ofUser])
        assert.deepEqual([status, headers['www-authenticate']], [401, 'Bearer'], call.path)
    }
  })

  it('are described with every status they answer with', async () => {
    const { body } = await world.ask('GET', '/openapi.json')
    const statuses = (call: Call) => Object.keys(body.paths[`${BASE}${call.path}`][call.method.toLowerCase()].responses).join(' ')
    const asked = '200 400 401 413 415 422 429 431 500 503'
    assert.deepEqual(Object.fromEntries(CALLS.map((call) => [call.path, statuses(call)])), {
      '/bitcoin/tools': '200 401 415 429 431 500 503',
      '/bitcoin/latest-block': '200 401 415 429 431 500 503',
      '/bitcoin/tx/decode': '200 400 401 413 415 422 429 431 500 503',
      '/bitcoin/address/validate': asked,
      '/oracle/price': '200 400 401 404 413 415 422 429 431 500 503',
      '/defidata/tools': '200 401 415 429 431 500 503',
      '/defidata/invoke': '200 400 401 404 413 415 422 429 431 500 503',
      '/exchange/tools': '200 401 415 429 431 500 503',
      '/exchange/subscribe': '200 400 401 404 413 415 422 429 431 500 503',
      '/exchange/unsubscribe': '200 400 401 404 413 415 422 429 431 500 503',
      '/exchange/stream': '200 401 404 415 422 429 431 500 503',
      '/search/refresh': '200 401 415 429 431 500 503',
      '/wallet/evm/balance': '200 400 401 404 413 415 422 429 431 500 503',
    })
    const stream = body.paths[`${BASE}/exchange/stream`].get
    assert.deepEqual(Object.keys(stream.responses[200].content), ['text/event-stream'])
    assert.deepEqual(stream.security, [{ SessionToken: [] }])
  })

  it('count the requests of a session', async () => {
    const few = await createToolWorld({ limitScale: 0.001 })
    try {
      for (const call of CALLS) {
        await send(few, call)
        const { status, headers } = await send(few, call)
        assert.equal(status, 429, call.path)
        assert.ok(Number(headers['retry-after']) > 0)
      }
    } finally {
      await few.close()
    }
  })

  it('refuse a body with fields missing, and ignore unknown ones', async () => {
    for (const call of CALLS) {
      if (!('json' in call)) continue
      const path = `${BASE}${call.path}`
      const missing = await world.ask('POST', path, { token: world.token, json: {} })
      const unknown = await world.ask('POST', path, { token: world.token, json: { ...call.json, more: 1 } })
      const expected = call.path === '/exchange/unsubscribe' ? 404 : 200
      assert.deepEqual([missing.status, unknown.status], [422, expected], call.path)
      assert.equal(missing.body.detail[0].loc[0], 'body')
    }
  })

  it('answer 503 for what nobody configured, and go on with what needs no source', async () => {
    const bare = await createToolWorld({ sources: { chains: null, esplora: null, marketFeed: null, refreshSearch: null } })
    try {
      const statuses = await Promise.all(CALLS.map(async (call) => [call.path, (await send(bare, call)).status] as const))
      const working = ['/bitcoin/tools', '/bitcoin/tx/decode', '/bitcoin/address/validate', '/defidata/tools', '/exchange/tools']
      assert.deepEqual(
        Object.fromEntries(statuses),
        Object.fromEntries(CALLS.map(({ path }) => [path, working.includes(path) ? 200 : 503])),
      )
      assertRefused(await send(bare, CALLS[1]), 503, /configured/)
    } finally {
      await bare.close()
    }
  })

  it('answer 503 with Retry-After while a source is away, naming it', async () => {
    world.away = true
    const away = [
      '/bitcoin/latest-block',
      '/oracle/price',
      '/defidata/invoke',
      '/exchange/subscribe',
      '/search/refresh',
      '/wallet/evm/balance',
    ]
    for (const call of CALLS.filter(({ path }) => away.includes(path))) {
      const answer = await send(world, call)
      assertRefused(answer, 503, /^(Esplora|chain test|exchange|search).*: no connection$/)
      assert.ok(Number(answer.headers['retry-after']) > 0)
    }
  })

  it('list what can be called, with the schema of the arguments', async () => {
    const names = async (path: string) => {
      const { status, body } = await get(path)
      assert.equal(status, 200)
      for (const tool of body.tools) assert.equal(tool.input_schema.type, 'object')
      return body.tools.map(({ name }: { name: string }) => name)
    }
    assert.deepEqual(await names('/bitcoin/tools'), ['bitcoin_latest_block', 'bitcoin_decode_tx', 'bitcoin_validate_address'])
    assert.deepEqual(await names('/defidata/tools'), ['tvl_get', 'token_price', 'pools_list'])
    assert.deepEqual(await names('/exchange/tools'), ['exchange_subscribe', 'exchange_unsubscribe'])
  })

  it('answer for bitcoin: the newest block, a transaction, an address', async () => {
    const block = await get('/bitcoin/latest-block')
    assert.deepEqual([block.status, block.body.height, block.body.source], [200, 900_000, 'Esplora (test)'])
    const tx = await post('/bitcoin/tx/decode', { raw_tx: RAW_TX })
    assert.deepEqual([tx.status, tx.body.size, tx.body.outputs[0].value_sats], [200, RAW_TX.length / 2, '1'])
    assertRefused(await post('/bitcoin/tx/decode', { raw_tx: 'zz' }), 400, /raw_tx/)
    const address = await post('/bitcoin/address/validate', { address: GENESIS_ADDRESS })
    assert.deepEqual([address.status, address.body.valid, address.body.type], [200, true, 'p2pkh'])
    const wrong = await post('/bitcoin/address/validate', { address: `${GENESIS_ADDRESS.slice(0, -1)}b` })
    assert.deepEqual([wrong.status, wrong.body.valid, wrong.body.reason], [200, false, 'bad-checksum'])
  })

  it('answer prices of pairs', async () => {
    const { status, body } = await post('/oracle/price', { chain: 'evm', pair: 'ETH/USD' })
    assert.deepEqual([status, body.price, body.chain_id, body.source, body.readings.length], [200, '2500', 901, 'chainlink', 1])
    assertRefused(await post('/oracle/price', { chain: 'evm', pair: 'ETHUSD' }), 400, /BASE\/QUOTE/)
    assertRefused(await post('/oracle/price', { chain: 'mars', pair: 'ETH/USD' }), 404, /mars/)
    assertRefused(await post('/oracle/price', { chain: 'evm', pair: 'ABC/USD' }), 404, /ABC\/USD/)
  })

  it('call DeFi data tools by name', async () => {
    const invoke = (tool_name: string, args: unknown) => post('/defidata/invoke', { tool_name, arguments: args })
    const { status, body } = await invoke('token_price', { symbol: TOKEN })
    assert.deepEqual([status, body.tool, body.result.price_usd], [200, 'token_price', '1'])
    assertRefused(await invoke('pools_list', { limit: 0 }), 400, /arguments\.limit/)
    assertRefused(await invoke('weather', {}), 404, /tvl_get/)
    assertRefused(await invoke('tvl_get', { chain: 'mars' }), 404, /mars/)
  })

  it('answer what a wallet holds, and its worth', async () => {
    const { status, body } = await post('/wallet/evm/balance', { address: WALLET })
    assert.deepEqual([status, body.balance, Number(body.balance_usd), body.chain_id], [200, '2', 5_000, 901])
    assert.deepEqual(
      body.tokens.map(({ symbol, balance }: { symbol: string; balance: string }) => [symbol, balance]),
      [['USDX', '10']],
    )
    assertRefused(await post('/wallet/evm/balance', { address: WALLET, chain: 'mars' }), 404, /mars/)
    assert.equal((await post('/wallet/evm/balance', { address: '0x12' })).status, 422)
  })

  it('refresh the search tool', async () => {
    const { status, body } = await world.ask('POST', `${BASE}/search/refresh`, { token: world.token })
    assert.deepEqual([status, body], [200, { status: 'refreshed', documents: 3 }])
  })
})
