import assert from 'node:assert/strict'
import { createManualClock, createSeededRandom } from '@keelson/runtime'
import fc from 'fast-check'
import { EvmInput } from '../../schemas/evm-input.ts'
import { Quote } from '../../schemas/quote.ts'
import { BITCOIN, createFakeMarket, DOLLAR, STRANGE, swapInput, WRAPPED } from '../market.test-support.ts'
import { createMemoryQuoteStore } from '../memory-stores.test-support.ts'
import { bindQuote, inputDigest, REFERENCE_VENUE } from './bind-quote.ts'
import { createQuoter, type QuoteOutcome } from './quoter.ts'

const START_MS = Date.UTC(2026, 5, 1)
const LIFE_MS = 30_000

function createTestQuoter() {
  const market = createFakeMarket()
  const quotes = createMemoryQuoteStore()
  const clock = createManualClock(START_MS)
  const random = createSeededRandom(1)
  const quoter = createQuoter({ lifeMs: LIFE_MS, referenceFeeBps: 30 }, { market, quotes, clock, random })
  return { quoter, market, quotes, clock }
}

function given(outcome: QuoteOutcome) {
  assert.ok(outcome.ok, outcome.ok ? '' : outcome.detail)
  return outcome
}

describe('quotes', () => {
  it('for reference rest on the oracle: 100 dollars at 2,500 less 30 bps', async () => {
    const { quoter } = createTestQuoter()
    const { quote } = given(await quoter.reference(swapInput(), 's1'))
    assert.deepEqual(Quote.parse(quote), quote)
    assert.equal(quote.expected_out, '0.03988')
    assert.equal(quote.venue, REFERENCE_VENUE)
    assert.equal(quote.gas_estimate, null)
    assert.equal(quote.price_impact_bps, 0)
    assert.equal(quote.expires_at, '2026-06-01T00:00:30.000Z')
    assert.deepEqual(quote.fees, { swap_fee_bps: 30 })
  })

  it('that can be executed are what the pools give, with route and impact', async () => {
    const { quoter, market } = createTestQuoter()
    market.depthUsd = 10_000
    const { quote } = given(await quoter.executable(swapInput(), 's1'))
    // 99.7 * 4 / (10,000 + 99.7), with 18 decimals, rounded down
    assert.equal(quote.expected_out.slice(0, 16), '0.03948632137588')
    // 1 - 99.7 / (100 * 0.997) * 10,000 / 10,099.7 = 98.72 bps, rounded up
    assert.equal(quote.price_impact_bps, 99)
    assert.deepEqual(quote.route, [DOLLAR, WRAPPED])
    assert.equal(quote.venue, 'uniswap_v2')
    assert.deepEqual(quote.fees, { swap_fee_bps: 30, swap_fee_usd: '0.3' })
    assert.match(quote.gas_estimate ?? '', /^\d+$/)
  })

  it('turn dollars into tokens at the price of the token sold', async () => {
    const { quoter } = createTestQuoter()
    const input = swapInput({ token_in_address: BITCOIN, amount_in: '250', amount_in_currency: 'usd' })
    const { swap } = given(await quoter.reference(input, 's1'))
    assert.equal(swap.amountIn, 250_000n)
  })

  it('are refused with the reason', async () => {
    const { quoter, market } = createTestQuoter()
    const reasonOf = async (changes: Partial<EvmInput>) => {
      const outcome = await quoter.executable(swapInput(changes), 's1')
      return outcome.ok ? 'none' : outcome.reason
    }
    assert.equal(await reasonOf({ chain_id: 1 }), 'unknown-chain')
    assert.equal(await reasonOf({ token_out_address: DOLLAR }), 'same-token')
    assert.equal(await reasonOf({ token_out_address: WRAPPED }), 'unknown-token')
    assert.equal(await reasonOf({ amount_in: '0.0000001' }), 'too-precise')
    assert.equal(await reasonOf({ token_in_address: STRANGE, amount_in_currency: 'usd' }), 'price-unknown')
    assert.equal(await reasonOf({ token_out_address: BITCOIN, amount_in: '0.0001' }), 'nothing-out')
    market.hasPools = false
    assert.equal(await reasonOf({}), 'no-route')
    const unpriced = await quoter.reference(swapInput({ token_out_address: STRANGE }), 's1')
    assert.equal(unpriced.ok ? null : unpriced.reason, 'no-price')
  })

  it('are good for their session and their swap, until the moment they expire', async () => {
    const { quoter, quotes, clock } = createTestQuoter()
    const { quote } = given(await quoter.executable(swapInput(), 's1'))
    const bind = async (session: string, input: EvmInput) => {
      const binding = await bindQuote(quote.quote_id, session, input, { quotes, clock })
      return binding.ok ? 'bound' : binding.reason
    }
    assert.equal(await bind('s1', swapInput({ amount_in: '100.00', simulate_only: true })), 'bound')
    assert.equal(await bind('s2', swapInput()), 'unknown')
    assert.equal(await bind('s1', swapInput({ amount_in: '100.01' })), 'other-input')
    assert.equal(await bind('s1', swapInput({ slippage_bps: 51 })), 'other-input')
    await clock.advance(LIFE_MS - 1)
    assert.equal(await bind('s1', swapInput()), 'bound')
    await clock.advance(1)
    assert.equal(await bind('s1', swapInput()), 'expired')
  })

  it('have ids nobody can guess, and do not pile up', async () => {
    const { quoter, quotes, clock } = createTestQuoter()
    const ids = new Set<string>()
    for (let i = 0; i < 300; i++) {
      ids.add(given(await quoter.reference(swapInput(), 's1')).quote.quote_id)
      await clock.advance(1_000)
    }
    assert.equal(ids.size, 300)
    for (const id of ids) assert.match(id, /^q_[0-9a-f]{32}$/)
    assert.ok(quotes.size <= 100, `${quotes.size} quotes are kept`)
  })

  it('of two swaps share a digest only when the swaps are the same', () => {
    const changes = fc.record({
      amount_in: fc.constantFrom('1', '1.0', '01', '10', '1.01'),
      slippage_bps: fc.constantFrom(50, 51),
      token_out_address: fc.constantFrom(BITCOIN, WRAPPED),
      amount_in_currency: fc.constantFrom('usd' as const, 'token_units' as const),
    })
    fc.assert(
      fc.property(changes, changes, (a, b) => {
        const same = { ...a, amount_in: Number(a.amount_in) }
        const equal = JSON.stringify(same) === JSON.stringify({ ...b, amount_in: Number(b.amount_in) })
        assert.equal(inputDigest(swapInput(a)) === inputDigest(swapInput(b)), equal)
      }),
    )
  })
})

describe('parameters of a swap', () => {
  it('are taken as the interface writes them', () => {
    const parses = (changes: object) => EvmInput.safeParse({ ...swapInput(), ...changes }).success
    assert.ok(parses({}))
    assert.ok(parses({ token_in_address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' }))
    assert.ok(!parses({ token_in_address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD' }), 'checksum')
    for (const amount of ['0', '0.000', '-1', '1e3', '', ' 1', 'NaN', '0x10', '1,5', '.5', '5.', '٣', `${'9'.repeat(31)}`]) {
      assert.ok(!parses({ amount_in: amount }), amount)
    }
    for (const slippage of [-1, 0.5, 10_001, '50']) assert.ok(!parses({ slippage_bps: slippage }), String(slippage))
    assert.ok(parses({ gas: 1 }))
    assert.ok(!parses({ slippageBps: 1 }))
  })
})
