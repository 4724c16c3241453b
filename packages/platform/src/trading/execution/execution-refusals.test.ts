import assert from 'node:assert/strict'
import { NATIVE_ADDRESS } from '../../market/chain/native-address.ts'
import { Decimal } from '../../market/decimal.ts'
import type { ExecutionRequest } from '../../schemas/execution.ts'
import { BITCOIN, CHAIN, DOLLAR, STRANGE, WRAPPED } from '../market.test-support.ts'
import { changePolicy, codeOf } from './outcome.test-support.ts'
import { callerWith, createTradingWorld, order, type TradingWorld, WALLET } from './trading-world.test-support.ts'

describe('execution: refusals', () => {
  const refusal = async (request: ExecutionRequest, change: (world: TradingWorld) => void = () => undefined) => {
    const world = createTradingWorld()
    change(world)
    const outcome = await world.executor.execute(request, callerWith('k'))
    await world.settle()
    assert.equal(world.chain.trades.length + world.chain.approvals.length, 0)
    assert.equal((await world.executions.spentUsd(WALLET.address, 0, '')).toFixed(), '0')
    return codeOf(outcome)
  }
  const buys = (token: string) => order({}, { token_out_address: token })

  for (const [what, code, request, change] of [
    ['a token that is not allowed', 'token', buys(BITCOIN), undefined],
    ['a token without a price', 'price-unknown', order({ skip_risk: true }), (world) => world.market.usd.delete(NATIVE_ADDRESS)],
    ['a token nobody knows', 'invalid token_out_address', buys(WRAPPED), undefined],
    ['an amount of too many digits', 'invalid amount_in', order({}, { amount_in: '1.0000001' }), undefined],
    ['more than a trade may be worth', 'trade-cap', order({}, { amount_in: '1000.01' }), undefined],
    ['more slippage than allowed', 'slippage', order({}, { slippage_bps: 101 }), undefined],
    ['pools far from the oracle', 'risk', order(), (world) => (world.market.poolFactor = new Decimal('0.9'))],
    [
      'pools far from the oracle, risk skipped',
      'loss',
      order({ skip_risk: true }),
      (world) => (world.market.poolFactor = new Decimal('0.9')),
    ],
    ['unknown risk', 'risk', order(), (world) => (world.market.flow = null)],
    ['a broken threshold', 'risk', order({ thresholds: { max_slippage_bps: 49 } }), undefined],
    ['a broken threshold, risk skipped', 'threshold', order({ skip_risk: true, thresholds: { max_slippage_bps: 49 } }), undefined],
    [
      'less liquidity than asked for, risk skipped',
      'threshold',
      order({ skip_risk: true, thresholds: { min_liquidity_usd: 1_000_001 } }),
      undefined,
    ],
    [
      'liquidity that nobody can value, risk skipped',
      'threshold',
      order({ skip_risk: true, thresholds: { min_liquidity_usd: 1 } }),
      (world) => world.market.factsOf.set(DOLLAR, { hasCode: true, listed: true, liquidityUsd: null }),
    ],
    ['no pools', 'no-route', order(), (world) => (world.market.hasPools = false)],
    ['more than the wallet has', 'funds', order(), (world) => world.chain.setBalance(DOLLAR, WALLET.address, 99n)],
    ['no coin for gas', 'funds', order(), (world) => world.chain.setBalance(NATIVE_ADDRESS, WALLET.address, 99n)],
    ['gas that costs too much', 'gas-cost', order(), (world) => (world.chain.baseFeeWei = 10n ** 12n)],
    ['when all is stopped', 'kill-switch', order(), (world) => (world.stopped = 'incident')],
    ['when the wallet is stopped', 'wallet-disabled', order(), (world) => changePolicy(world, { enabled: false })],
    ['without a policy', 'no-policy', order(), (world) => world.policies.clear()],
    ['a router that is not allowed', 'contract', order(), (world) => changePolicy(world, { contracts: [] })],
  ] as readonly (readonly [string, string, ExecutionRequest, ((world: TradingWorld) => unknown) | undefined])[]) {
    it(`refuses ${what}`, async () => assert.equal(await refusal(request, (world) => void change?.(world)), code))
  }

  it('asks for no liquidity of its own when the risk is skipped', async () => {
    const world = createTradingWorld()
    world.market.factsOf.set(DOLLAR, { hasCode: true, listed: true, liquidityUsd: new Decimal(100) })
    const skipping = order({ skip_risk: true, thresholds: { min_liquidity_usd: 100 } })
    assert.equal(codeOf(await world.executor.execute(skipping, callerWith('k'))), 'done')
  })

  it('gives the report with a risk that is too high', async () => {
    const world = createTradingWorld()
    world.market.gasPercent = 2_000
    const outcome = await world.executor.execute(order(), callerWith('k'))
    assert.ok(outcome.kind === 'refused')
    assert.deepEqual([outcome.refusal.report?.level, outcome.refusal.report?.flags], ['high', ['gas_spike:high_base_fee']])
    assert.equal(codeOf(await world.executor.execute(order({ skip_risk: true }), callerWith('k2'))), 'done')
  })

  it('trades that revert again and again end at the gas a wallet may pay a day, and are allowed again the day after', async () => {
    const world = createTradingWorld({ maxDailyGasWei: 1_500_000_000n })
    let sent = 0
    const tryOne = async () => {
      world.market.poolFactor = new Decimal(1)
      const outcome = await world.executor.execute(order({}, { slippage_bps: 0 }), callerWith(`revert-${sent}`))
      world.market.poolFactor = new Decimal('0.999')
      await world.settle()
      return outcome
    }
    let last = await tryOne()
    for (; last.kind === 'done' && sent < 20; last = await tryOne()) sent++
    assert.equal(codeOf(last), 'gas-cost')
    assert.ok(last.kind === 'refused' && /paid for gas in the last 24 hours/.test(last.refusal.detail))
    assert.ok(sent >= 2 && sent < 15, String(sent))
    assert.ok((await world.executions.gasSpentWei(WALLET.address, CHAIN, 0)) <= 1_500_000_000n)
    assert.deepEqual(world.chain.trades, [])
    await world.clock.advance(86_400_000)
    world.market.poolFactor = new Decimal(1)
    assert.equal(codeOf(await world.executor.execute(order(), callerWith('tomorrow'))), 'done')
  })

  it('what a rollup takes for its L1 is in the limit of gas, and has to be in the wallet', async () => {
    assert.equal(await refusal(order(), ({ chain }) => (chain.dataFeeOfCallWei = 10n ** 15n)), 'gas-cost')
    const short = await refusal(order(), ({ chain }) => {
      chain.dataFeeOfCallWei = 10n ** 14n
      chain.setBalance(NATIVE_ADDRESS, WALLET.address, 10n ** 14n)
    })
    assert.equal(short, 'funds')
  })

  it('refuses routes that are not of this swap, whatever the exchange says', async () => {
    for (const path of [[DOLLAR, BITCOIN], [BITCOIN, WRAPPED], [DOLLAR], [DOLLAR, STRANGE, WRAPPED], [DOLLAR, BITCOIN, BITCOIN, WRAPPED]]) {
      const code = await refusal(order({ skip_risk: true }), ({ market }) => {
        const { bestRoute } = market
        market.bestRoute = async (...args) => {
          const route = await bestRoute(...args)
          return route === null ? null : { ...route, path }
        }
      })
      assert.match(code, /^(no-route|token)$/, path.join())
    }
  })

  it('stops at the last moment when trading is stopped meanwhile', async () => {
    const code = await refusal(order(), (world) => {
      const { simulate } = world.chain
      world.chain.simulate = (...args) => {
        world.stopped = 'now'
        return simulate(...args)
      }
    })
    assert.equal(code, 'kill-switch')
  })
})
