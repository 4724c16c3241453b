import assert from 'node:assert/strict'
import type { Address } from '@keelson/primitives'
import fc from 'fast-check'
import { NATIVE_ADDRESS } from '../../market/chain/native-address.ts'
import { Decimal } from '../../market/decimal.ts'
import { BITCOIN, CHAIN, DOLLAR, ROUTER, STRANGE } from '../market.test-support.ts'
import { decide, type TradeFacts, type WalletPolicy } from './policy.ts'

const usd = (text: string) => new Decimal(text)
const NOTHING = usd('0')
const on = (address: Address) => ({ chainId: CHAIN, address })

const POLICY: WalletPolicy = {
  enabled: true,
  chainIds: [CHAIN],
  tokens: [on(DOLLAR), on(NATIVE_ADDRESS)],
  contracts: [on(ROUTER)],
  maxTradeUsd: usd('1000'),
  maxDailyUsd: usd('2500'),
  maxSlippageBps: 100,
  maxLossBps: 300,
}
const TRADE: TradeFacts = {
  chainId: CHAIN,
  tokenIn: DOLLAR,
  tokenOut: NATIVE_ADDRESS,
  between: [],
  contracts: [ROUTER],
  slippageBps: 100,
  amountInUsd: usd('1000'),
  minimumOutUsd: usd('970'),
}

describe('policy of a wallet', () => {
  const ruleOf = (trade: Partial<TradeFacts>, policy: Partial<WalletPolicy> = {}, spent = NOTHING, stopped: string | null = null) => {
    const decision = decide({ ...POLICY, ...policy }, stopped, { ...TRADE, ...trade }, spent)
    assert.ok(decision.reason.length > 0)
    return decision.allowed ? 'allowed' : decision.rule
  }

  it('allows what reaches every limit and passes none', () => {
    assert.equal(ruleOf({}, {}, usd('1500')), 'allowed')
  })

  for (const [what, rule, trade, policy, spent] of [
    ['another chain', 'chain', { chainId: 1 }, {}, NOTHING],
    ['a token to sell', 'token', { tokenIn: BITCOIN }, {}, NOTHING],
    ['a token to buy', 'token', { tokenOut: BITCOIN }, {}, NOTHING],
    ['a token in between', 'token', { between: [NATIVE_ADDRESS, BITCOIN] }, {}, NOTHING],
    ['a second contract', 'contract', { contracts: [ROUTER, STRANGE] }, {}, NOTHING],
    ['no contract', 'contract', { contracts: [] }, {}, NOTHING],
    ['slippage', 'slippage', { slippageBps: 101 }, {}, NOTHING],
    ['slippage that is no number', 'slippage', { slippageBps: Number.NaN }, {}, NOTHING],
    ['slippage below nothing', 'slippage', { slippageBps: -1 }, {}, NOTHING],
    ['no price of what is sold', 'price-unknown', { amountInUsd: null }, {}, NOTHING],
    ['no price of what is bought', 'price-unknown', { minimumOutUsd: null }, {}, NOTHING],
    ['a value that is no number', 'price-unknown', { amountInUsd: usd('NaN') }, {}, NOTHING],
    ['a value without end', 'price-unknown', { minimumOutUsd: usd('Infinity') }, {}, NOTHING],
    ['a value below nothing', 'price-unknown', { amountInUsd: usd('-5') }, {}, NOTHING],
    ['the cap of a trade', 'trade-cap', { amountInUsd: usd('1000.000001') }, {}, NOTHING],
    ['the cap of a trade, by what comes out', 'trade-cap', { minimumOutUsd: usd('1000.000001') }, {}, NOTHING],
    ['the cap of a day', 'daily-cap', {}, {}, usd('1500.000001')],
    ['a loss', 'loss', { minimumOutUsd: usd('969.999999') }, {}, NOTHING],
    ['a stopped wallet', 'wallet-disabled', {}, { enabled: false }, NOTHING],
    ['a cap that is no number', 'trade-cap', {}, { maxTradeUsd: usd('NaN') }, NOTHING],
    ['spending that is no number', 'daily-cap', {}, {}, usd('NaN')],
    ['a token of another chain', 'token', {}, { tokens: POLICY.tokens.map(({ address }) => ({ chainId: 1, address })) }, NOTHING],
  ] as const) {
    it(`refuses ${what}`, () => assert.equal(ruleOf(trade, policy, spent), rule))
  }

  it('refuses everything when all is stopped or when there is none', () => {
    assert.equal(ruleOf({}, {}, NOTHING, 'incident'), 'kill-switch')
    const decision = decide(null, null, TRADE, NOTHING)
    assert.equal(decision.allowed ? null : decision.rule, 'no-policy')
  })

  it('allows nothing that breaks a rule, whatever the facts', () => {
    const address = fc.constantFrom(DOLLAR, NATIVE_ADDRESS, BITCOIN, STRANGE, ROUTER)
    const value = fc.option(fc.oneof(fc.constantFrom('0', '970', '1000', '1000.01', 'NaN', '-1', 'Infinity'), fc.nat(3_000).map(String)))
    const facts = fc.record({
      chainId: fc.constantFrom(CHAIN, 1, 0, -1, Number.NaN),
      tokenIn: address,
      tokenOut: address,
      between: fc.array(address, { maxLength: 2 }),
      contracts: fc.array(address, { maxLength: 3 }),
      slippageBps: fc.oneof(fc.integer({ min: -10, max: 300 }), fc.constant(Number.NaN)),
      amountInUsd: value.map((text) => (text === null ? null : usd(text))),
      minimumOutUsd: value.map((text) => (text === null ? null : usd(text))),
    })
    let allowed = 0
    fc.assert(
      fc.property(fc.oneof(facts, fc.constant(TRADE)), fc.nat(3_000), fc.boolean(), (trade, spent, stopped) => {
        const decision = decide(POLICY, stopped ? 'stop' : null, trade, usd(String(spent)))
        if (!decision.allowed) return
        allowed++
        assert.ok(!stopped)
        assert.equal(trade.chainId, CHAIN)
        for (const token of [trade.tokenIn, ...trade.between, trade.tokenOut]) assert.ok(token === DOLLAR || token === NATIVE_ADDRESS)
        assert.ok(trade.contracts.every((contract) => contract === ROUTER))
        assert.ok(trade.slippageBps >= 0 && trade.slippageBps <= 100)
        const [paid, got] = [trade.amountInUsd as Decimal, trade.minimumOutUsd as Decimal]
        assert.ok(paid.lte(1000) && got.lte(1000) && Decimal.max(paid, got).plus(spent).lte(2500))
        assert.ok(got.gte(paid.mul('0.97')))
        assert.ok(decision.usd.eq(Decimal.max(paid, got)))
      }),
      { numRuns: 2_000 },
    )
    assert.ok(allowed > 50, `${allowed} were allowed`)
  })
})
