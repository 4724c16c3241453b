import assert from 'node:assert/strict'
import fc from 'fast-check'
import { NATIVE_ADDRESS } from '../../market/chain/native-address.ts'
import { Decimal } from '../../market/decimal.ts'
import { ExecutionRequest } from '../../schemas/execution.ts'
import { findBrokenAuditEntry } from '../audit/audit-log.ts'
import { BITCOIN, CHAIN, DOLLAR, ROUTER, STRANGE, WRAPPED } from '../market.test-support.ts'
import { callerWith, createTradingWorld, START_MS, UNITS, WALLET } from './trading-world.test-support.ts'

const words = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    'main',
    'other',
    '../main',
    'MAIN',
    'ignore all limits',
    '__proto__',
    'constructor',
    "' or 1=1 --",
    'q_1',
    '{"enabled":true}',
  ),
)
const token = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<string>(DOLLAR, NATIVE_ADDRESS) },
  fc.constantFrom<string>(BITCOIN, STRANGE, WRAPPED, ROUTER, `0x${'0'.repeat(40)}`),
  words,
)
const amount = fc.oneof(
  { weight: 4, arbitrary: fc.nat(1_200).map((n) => `${n}.${n % 10}`) },
  fc.constantFrom('0.3', '1e30', '-5', '999999999999', '0.000001', 'Infinity', `${'9'.repeat(60)}`),
  words,
)
const input = fc.record(
  {
    chain_id: fc.oneof({ weight: 9, arbitrary: fc.constant<unknown>(CHAIN) }, fc.constantFrom<unknown>(1, -1, '84532', null)),
    token_in_address: token,
    token_out_address: token,
    amount_in: amount,
    amount_in_currency: fc.constantFrom('token_units', 'usd'),
    slippage_bps: fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 0, max: 130 }) }, fc.constantFrom(10_000, -1, 1e9, 0.5)),
    simulate_only: fc.oneof({ weight: 8, arbitrary: fc.constant(false) }, fc.boolean()),
    policy: words,
  },
  { requiredKeys: ['chain_id', 'token_in_address', 'token_out_address', 'amount_in', 'simulate_only'] },
)
const plausible = fc.record({
  input: fc.record({
    chain_id: fc.constant(CHAIN),
    token_in_address: fc.constant(DOLLAR),
    token_out_address: fc.constant(NATIVE_ADDRESS),
    amount_in: fc.integer({ min: 1, max: 1_050 }).map(String),
    slippage_bps: fc.integer({ min: 0, max: 102 }),
    simulate_only: fc.constant(false),
  }),
  confirm: fc.constant(true),
  skip_risk: fc.boolean(),
  wallet_ref: fc.constant('main'),
})
const wild = fc.record(
  {
    input: input.map(({ policy, ...rest }) => (policy === 'main' ? { ...rest, policy } : rest)),
    confirm: fc.oneof({ weight: 8, arbitrary: fc.constant<unknown>(true) }, fc.constantFrom<unknown>(false, 'true', 1)),
    skip_risk: fc.boolean(),
    wallet_ref: fc.oneof({ weight: 6, arbitrary: fc.constant('main') }, words),
    thresholds: fc.constantFrom<unknown>(
      {},
      { max_slippage_bps: 10_000, max_price_impact_bps: 10_000, min_liquidity_usd: 0 },
      { maxTradeUsd: 1e9 },
    ),
    quote_id: words,
  },
  { requiredKeys: ['input', 'confirm', 'wallet_ref', 'skip_risk'] },
)
const attempt = fc.record({
  body: fc.oneof<fc.Arbitrary<unknown>[]>(plausible, wild),
  key: fc.option(fc.constantFrom('a', 'b', 'c', 'd')),
  user: fc.constantFrom(1, 1, 1, 1, 2, 99, -1),
  poolPercent: fc.constantFrom(100, 100, 100, 90, 99, 110),
  pauseMs: fc.constantFrom(0, 0, 100, 3_000, 40_000),
})

describe('execution: a caller that tries everything', () => {
  it('moves nothing that the policy does not let it', async () => {
    let trades = 0
    let parsed = 0
    await fc.assert(
      fc.asyncProperty(fc.array(attempt, { minLength: 5, maxLength: 40 }), async (attempts) => {
        const world = createTradingWorld({ waitMs: 5_000 })
        const before = JSON.stringify([...world.policies])
        const answers: Promise<unknown>[] = []
        for (const { body, key, user, poolPercent, pauseMs } of attempts) {
          world.market.poolFactor = new Decimal(poolPercent).div(100)
          const request = ExecutionRequest.safeParse(body)
          if (!request.success) continue
          parsed++
          answers.push(world.executor.execute(request.data, callerWith(key, user)).catch(() => undefined))
          await world.clock.advance(pauseMs)
          world.chain.mine()
          await world.settler.step()
        }
        for (let i = 0; i < 30; i++) {
          await world.clock.advance(250)
          await world.settle()
        }
        await Promise.all(answers)
        trades += world.chain.trades.length
        assert.equal(JSON.stringify([...world.policies]), before)
        assert.ok(world.clock.nowMs() - START_MS < 86_400_000)
        const usdOf = {
          [DOLLAR]: (units: bigint) => Number(units / UNITS.dollar),
          [NATIVE_ADDRESS]: (units: bigint) => (Number(units) / 1e18) * 2_500,
        }
        for (const wallet of new Set(world.chain.trades.map((trade) => trade.wallet))) {
          const mine = world.chain.trades.filter((trade) => trade.wallet === wallet)
          const worth = mine.map(({ tokenIn, amountIn }) => (usdOf[tokenIn] as (units: bigint) => number)(amountIn))
          assert.ok(
            worth.every((usd) => usd <= 1_000),
            worth.join(),
          )
          assert.ok(worth.reduce((sum, usd) => sum + usd, 0) <= 3_000.001, worth.join())
          for (const [i, { tokenOut, minimumOut }] of mine.entries()) {
            const least = (usdOf[tokenOut] as (units: bigint) => number)(minimumOut)
            assert.ok(least >= (worth[i] as number) * 0.97 - 1, `${least} for ${worth[i]}`)
          }
        }
        for (const { token: approved, spender, amount: units } of world.chain.approvals) {
          assert.deepEqual([approved, spender], [DOLLAR, ROUTER])
          assert.ok(units <= 1_000n * UNITS.dollar)
        }
        assert.equal(await world.chain.allowance(BITCOIN, WALLET.address, ROUTER), 0n)
        assert.equal(findBrokenAuditEntry(world.auditStore.entries), null)
      }),
      { numRuns: 25 },
    )
    assert.ok(trades >= 20 && parsed >= 100, `${trades} trades of ${parsed} requests`)
  })
})
