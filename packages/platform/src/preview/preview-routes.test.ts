import assert from 'node:assert/strict'
import { createManualClock, createSilentLogger } from '@keelson/runtime'
import { type AssistantWorld, createAssistantWorld } from '../assistant/assistant-world.test-support.ts'
import { createPlatformServer, type PlatformServer } from '../http/platform-server.ts'
import { createMemoryRateLimits } from '../http/rate-limit-store.ts'
import { CHAIN, swapInput } from '../trading/market.test-support.ts'
import { createRiskAssessor } from '../trading/risk/assess.ts'
import { pairPricesOf } from './preview-amount.ts'
import { createPreviewRoutes, type PreviewDependencies } from './preview-routes.ts'

const PREVIEW = '/api/v1/multi-agent/preview'

describe('preview routes', () => {
  let world: AssistantWorld
  let server: PlatformServer
  const open = async (changes: Partial<PreviewDependencies> = {}) => {
    const clock = createManualClock(0)
    const { trading, names } = world
    const risk = createRiskAssessor(CHAIN, { market: trading.market, quotes: trading.quoteStore, clock: trading.clock })
    server = await createPlatformServer(
      { host: '127.0.0.1', port: 0, virtualHosts: [], version: '1', trustedProxies: [], corsOrigins: [], limitScale: 1 },
      {
        routes: createPreviewRoutes({ names, prices: pairPricesOf(world.toolbox), quotes: trading.quotes, risk, ...changes }),
        authenticator: { verify: async () => ({ tier: 'session', userId: 1, sessionId: 's1' }), isThere: async () => true },
        limits: createMemoryRateLimits(clock),
        isOutage: () => false,
        clock,
        log: createSilentLogger(),
      },
    )
    await server.app.ready()
  }
  beforeEach(async () => {
    world = createAssistantWorld()
    await open()
  })
  afterEach(() => server.app.close())

  const ask = async (path: string, json: unknown) => {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer t' }
    const response = await server.app.inject({ method: 'POST', url: path, headers, payload: JSON.stringify(json) })
    return { status: response.statusCode, body: response.json() }
  }

  it('return intent, entities and team of a text', async () => {
    assert.deepEqual(await ask(PREVIEW, { text: 'Swap 1 ETH for testUSD on devnet' }), {
      status: 200,
      body: {
        intent: 'swap_tokens',
        entities: { token_in: 'ETH', token_out: 'testUSD', amount: '1', chain: 'keelson-devnet' },
        team: 'trading',
      },
    })
  })

  const previewed = async (text: string) => {
    const { status, body } = await ask(PREVIEW, { text })
    assert.equal(status, 200, text)
    return [body.entities.token_in, body.entities.amount, body.conversion, body.question]
  }

  it('convert an amount in dollars or of the bought token to token_in, which a client copies', async () => {
    for (const [text, expected] of [
      ['convert 100 dollars of ETH to testBTC', ['ETH', '0.04', '100 USD at ETH/USD 2500', undefined]],
      ['swap $100 of ETH to testBTC', ['ETH', '0.04', '100 USD at ETH/USD 2500', undefined]],
      ['buy 0.01 testBTC with ETH', ['ETH', '0.4', '0.01 testBTC at testBTC/ETH 40', undefined]],
      ['swap 1k testUSD to ETH', ['testUSD', '1000', undefined, undefined]],
    ] as const)
      assert.deepEqual(await previewed(text), expected, text)
    const [sold, amount, conversion] = await previewed('swap ETH to 1000 testUSD')
    assert.deepEqual([sold, Number(amount) < 0.5, Number(amount) > 0.39], ['ETH', true, true], amount)
    assert.match(conversion, /^1000 testUSD at testUSD\/ETH 0\.000/)
  })

  it('ask for an amount that is a share, cannot be read, has no price or is one of several', async () => {
    const token = `0x${'12'.repeat(20)}`
    for (const [text, question] of [
      ['swap half of my ETH to testUSD', /share of a balance.*How much ETH/],
      ['swap 1,5 ETH to testUSD', /two ways.*How much ETH/],
      ['swap one ETH to testUSD', /in digits.*How much ETH/],
      ['swap 100 euros of ETH to testBTC', /no price for.*How much ETH/],
      ['swap 50% of 2 ETH to testUSD', /share.*How much ETH/],
      [`swap $100 of ${token} to ETH`, /The amount is 100 USD, and there is no price to convert it/],
      ['swap 100 dollars of DOGE to ETH', /The amount is 100 USD/],
      ['swap 1 ETH to testUSD and 2 testBTC to testUSD', /several things/],
    ] as const) {
      const [, amount, , asked] = await previewed(text)
      assert.equal(amount, null, text)
      assert.match(asked, question)
    }
    assert.deepEqual(await previewed('swap ETH to testUSD'), ['ETH', undefined, undefined, undefined])
  })

  it('return no amount while the price source is away, with a question', async () => {
    world.away = true
    const [, amount, , question] = await previewed('convert 100 dollars of ETH to testBTC')
    assert.equal(amount, null)
    assert.match(question, /100 USD, and there is no price/)
  })

  it('accept 1 to 3,000 characters', async () => {
    for (const text of ['x', 'x'.repeat(3_000)]) assert.equal((await ask(PREVIEW, { text })).status, 200)
    for (const text of ['', 'x'.repeat(3_001), 5]) assert.equal((await ask(PREVIEW, { text })).status, 422)
    assert.equal((await ask(`${PREVIEW}/run`, { text: '', evm_input: swapInput() })).status, 422)
  })

  it('run a swap to an executable quote and its risk', async () => {
    const { status, body } = await ask(`${PREVIEW}/run`, { text: 'is it safe to sell 100 testUSD?', evm_input: swapInput() })
    assert.equal(status, 200)
    assert.deepEqual([body.intent, body.team], ['risk_assessment', 'risk_team'])
    assert.equal(body.quote.venue, 'uniswap_v2')
    assert.equal((await world.trading.quoteStore.get(body.quote.quote_id))?.sessionId, 's1')
    assert.equal(body.risk.level, 'low')
    assert.ok(body.summary.includes(body.quote.expected_out) && body.summary.includes('Risk low'))
  })

  it('name the amounts, and warn where text and evm_input disagree', async () => {
    const summary = async (text: string, changes = {}) =>
      (await ask(`${PREVIEW}/run`, { text, evm_input: swapInput(changes) })).body.summary as string
    const agreed = await summary('swap 100 testUSD for ETH on devnet')
    assert.match(agreed, /^Selling 100 testUSD brings 0\.\d+ NTV/)
    assert.doesNotMatch(agreed, /evm_input/)
    for (const [text, said] of [
      ['swap 5 testUSD for ETH', 'the text says amount 5, evm_input 100'],
      ['swap 100 testBTC for ETH', 'the text says sold testBTC, evm_input testUSD'],
      ['swap 100 testUSD for testBTC', 'the text says bought testBTC, evm_input NTV'],
      ['swap 100 USDC for ETH', 'the text says sold USDC, evm_input testUSD'],
      ['swap 100 testUSD for ETH on base', 'the text says chain base, evm_input keelson-devnet'],
      ['swap $100 of testUSD for ETH', 'the text says amount 100 USD, evm_input 100'],
      ["don't swap 100 testUSD for ETH", 'the text says not to'],
    ] as const) {
      const found = await summary(text)
      assert.ok(found.includes(said) && found.includes('evm_input is what was quoted'), found)
    }
    assert.match(await summary('swap', { amount_in_currency: 'usd' }), /^Selling 100 USD of testUSD brings/)
    assert.doesNotMatch(await summary('swap $100 of testUSD to ETH', { amount_in_currency: 'usd' }), /the text says/)
  })

  it('run a swap without a route to a reference quote, with the reason', async () => {
    world.trading.market.hasPools = false
    const { status, body } = await ask(`${PREVIEW}/run`, { text: 'swap', evm_input: swapInput(), thresholds: { max_slippage_bps: 10 } })
    assert.equal(status, 200)
    assert.equal(body.quote.venue, 'oracle_reference')
    assert.match(body.summary, /cannot be executed: no pools lead/)
    assert.equal(body.risk.level, 'unknown')
  })

  it('refuse with 400 without a quote, and with 422 at an invalid field', async () => {
    world.trading.market.hasPools = false
    world.trading.market.usd.clear()
    const none = await ask(`${PREVIEW}/run`, { text: 'swap', evm_input: swapInput() })
    assert.equal(none.status, 400)
    assert.match(none.body.detail, /no pools lead .*no oracle price/)
    for (const [changes, field] of [
      [{ chain_id: 5 }, 'chain_id'],
      [{ token_out_address: `0x${'01'.repeat(20)}` }, 'token_out_address'],
      [{ amount_in: '0.0000000001' }, 'amount_in'],
    ] as const) {
      const wrong = await ask(`${PREVIEW}/run`, { text: 'swap', evm_input: swapInput(changes) })
      assert.equal(wrong.status, 422)
      assert.deepEqual(wrong.body.detail[0].loc, ['body', 'evm_input', field])
    }
  })

  it('read texts without a chain, but have no quotes', async () => {
    await server.app.close()
    await open({ quotes: null, risk: null, names: { ...world.names, all: async () => [] } })
    const { body } = await ask(PREVIEW, { text: 'swap 1 ETH for USDC' })
    assert.deepEqual([body.intent, body.entities], ['swap_tokens', { token_in: 'ETH', token_out: 'USDC', amount: '1' }])
    assert.equal((await ask(`${PREVIEW}/run`, { text: 'swap', evm_input: swapInput() })).status, 503)
  })
})
