import assert from 'node:assert/strict'
import { createManualClock } from '@keelson/runtime'
import fc from 'fast-check'
import { NATIVE_ADDRESS } from '../../market/chain/native-address.ts'
import { Decimal } from '../../market/decimal.ts'
import { EXAMPLES } from '../../schemas/examples.ts'
import { RISK_CHECKS, RiskReport, RiskRequest } from '../../schemas/risk.ts'
import { CHAIN, createFakeMarket, DOLLAR } from '../market.test-support.ts'
import { createMemoryQuoteStore } from '../memory-stores.test-support.ts'
import { assessRisk, breachedThresholds, createRiskAssessor, riskSubject } from './assess.ts'
import { CHECKS, FLOW_CURVE, GAS_CURVE, LIQUIDITY_CURVE, PRICE_CURVE, type RiskSubject } from './checks.ts'
import { aggregateOf, levelOf, roundScore, scoreOn } from './score.ts'

const subject = (changes: Partial<RiskSubject> = {}): RiskSubject => ({
  ...riskSubject(CHAIN, [DOLLAR, NATIVE_ADDRESS], { priceImpactBps: 10, slippageBps: 50, thresholds: undefined }),
  ...changes,
})

describe('risk: levels', () => {
  for (const [score, level] of [
    [10, 'low'],
    [7, 'low'],
    [6.9, 'medium'],
    [4, 'medium'],
    [3.9, 'high'],
    [0, 'high'],
    [null, 'unknown'],
  ] as const) {
    it(`calls ${score} ${level}`, () => assert.equal(levelOf(score), level))
  }

  for (const [score, rounded, level] of [
    ['6.95', 7, 'low'],
    ['6.9499999', 6.9, 'medium'],
    ['3.95', 4, 'medium'],
    ['3.9499999', 3.9, 'high'],
    ['0.04', 0, 'high'],
    ['9.96', 10, 'low'],
  ] as const) {
    it(`rounds ${score} to ${rounded} before it is called ${level}`, () => {
      assert.equal(roundScore(new Decimal(score)), rounded)
      assert.equal(levelOf(roundScore(new Decimal(score))), level)
    })
  }

  it('gives the lowest score; with one missing none, unless another is high risk by itself', () => {
    const scores = (...values: (number | null)[]) => values.map((value) => (value === null ? null : new Decimal(value)))
    assert.equal(aggregateOf(scores(10, 4.44, 9)), 4.4)
    assert.equal(aggregateOf(scores(10, null, 4)), null)
    assert.equal(aggregateOf(scores(10, null, 3.9)), 3.9)
    assert.equal(aggregateOf(scores(null)), null)
    assert.equal(aggregateOf([]), null)
  })

  it('has a score between 0 and 10 of one decimal for every figure, falling or rising throughout', () => {
    const figure = fc.double({ min: 0, max: 1e12, noNaN: true })
    for (const [curve, sign] of [
      [LIQUIDITY_CURVE, 1],
      [FLOW_CURVE, -1],
      [PRICE_CURVE, -1],
      [GAS_CURVE, -1],
    ] as const) {
      fc.assert(
        fc.property(figure, figure, (a, b) => {
          const [less, more] = a < b ? [a, b] : [b, a]
          const [scoreLess, scoreMore] = [scoreOn(curve, new Decimal(less)), scoreOn(curve, new Decimal(more))]
          assert.ok(scoreLess.gte(0) && scoreLess.lte(10))
          assert.ok(scoreMore.minus(scoreLess).mul(sign).gte(-1e-60))
          assert.match(String(roundScore(scoreLess)), /^\d+(\.\d)?$/)
        }),
      )
    }
  })
})

describe('risk: checks', () => {
  const scoreOf = async (
    name: (typeof RISK_CHECKS)[number],
    change: (market: ReturnType<typeof createFakeMarket>) => void,
    of = subject(),
  ) => {
    const market = createFakeMarket()
    change(market)
    const { score } = await CHECKS[name](of, market)
    return score === null ? null : roundScore(score)
  }

  for (const [liquidity, score] of [
    [50_000, 10],
    [49_000, 9.9],
    [10_000, 7],
    [9_999, 3.9],
    [5_000, 3.9],
    [2_500, 2],
    [0, 0],
  ] as const) {
    it(`rug: ${liquidity} dollars of 10,000 in the pool give ${score}`, async () => {
      const facts = { hasCode: true, listed: true, liquidityUsd: new Decimal(liquidity) }
      assert.equal(await scoreOf('rug', (market) => market.factsOf.set(DOLLAR, facts)), score)
    })
  }

  it('rug: no code, not listed, nothing known', async () => {
    const million = new Decimal(1_000_000)
    assert.equal(await scoreOf('rug', ({ factsOf }) => factsOf.set(DOLLAR, { hasCode: false, listed: true, liquidityUsd: million })), 0)
    assert.equal(await scoreOf('rug', ({ factsOf }) => factsOf.set(DOLLAR, { hasCode: true, listed: false, liquidityUsd: million })), 6.9)
    assert.equal(await scoreOf('rug', ({ factsOf }) => factsOf.set(DOLLAR, { hasCode: true, listed: true, liquidityUsd: null })), null)
    assert.equal(
      await scoreOf('rug', ({ factsOf }) => factsOf.set(NATIVE_ADDRESS, { hasCode: false, listed: true, liquidityUsd: million })),
      10,
    )
  })

  for (const [shareBps, score] of [
    [0, 10],
    [100, 10],
    [500, 7],
    [1_000, 4],
    [1_001, 4],
    [1_100, 3.7],
    [2_500, 0],
    [9_999, 0],
  ] as const) {
    it(`whale_flow: ${shareBps} bps of the pools moved by one give ${score}`, async () => {
      assert.equal(await scoreOf('whale_flow', (market) => (market.flow = { shareBps, windowSec: 600 })), score)
    })
  }

  for (const [factor, impact, score] of [
    ['1', 0, 10],
    ['1', 50, 10],
    ['1.02', 0, 7],
    ['0.98', 200, 7],
    ['1', 500, 4],
    ['0.9', 0, 0],
    ['1', 1_000, 0],
    ['1', null, 10],
  ] as const) {
    it(`price_sanity: pools at ${factor} of the oracle and ${impact} bps of impact give ${score}`, async () => {
      const change = (market: ReturnType<typeof createFakeMarket>) => (market.poolFactor = new Decimal(factor))
      assert.equal(await scoreOf('price_sanity', change, subject({ priceImpactBps: impact })), score)
    })
  }

  for (const [slippage, score, flags] of [
    [50, 10, []],
    [200, 7, []],
    [500, 4, []],
    [501, 4, []],
    [600, 3.2, ['price_sanity:slippage_far_from_usual']],
    [1_000, 0, ['price_sanity:slippage_far_from_usual']],
    [10_000, 0, ['price_sanity:slippage_far_from_usual']],
    [null, 10, []],
  ] as const) {
    it(`price_sanity: a swap that may lose ${slippage} bps to slippage gives ${score}`, async () => {
      const of = subject({ slippageBps: slippage })
      const { checks, flags: found } = await assessRisk(of, ['price_sanity'], createFakeMarket())
      assert.deepEqual([checks[0]?.score, found], [score, flags])
      assert.match(checks[0]?.details.summary ?? '', slippage === null ? /names no slippage/ : new RegExp(`up to ${slippage} bps`))
      const allowed = await assessRisk({ ...of, maxSlippageBps: 10_000 }, ['price_sanity'], createFakeMarket())
      assert.deepEqual([allowed.checks[0]?.score, breachedThresholds(allowed)], [score, []])
    })
  }

  for (const [percent, score] of [
    [0, 10],
    [125, 10],
    [200, 7],
    [400, 4],
    [1_000, 0],
    [5_000, 0],
  ] as const) {
    it(`gas_spike: ${percent} % of the usual base fee give ${score}`, async () => {
      assert.equal(await scoreOf('gas_spike', (market) => (market.gasPercent = percent)), score)
    })
  }

  it('have no score without their data', async () => {
    assert.equal(await scoreOf('whale_flow', (market) => (market.flow = null)), null)
    assert.equal(await scoreOf('gas_spike', (market) => (market.gasPercent = null)), null)
    assert.equal(await scoreOf('price_sanity', (market) => (market.hasPools = false)), null)
    assert.equal(await scoreOf('price_sanity', (market) => market.usd.delete(DOLLAR)), null)
  })
})

describe('risk: reports', () => {
  it('have the fields of both shapes, for the checks that were asked for', async () => {
    const report = await assessRisk(subject(), ['gas_spike', 'rug', 'rug'], createFakeMarket())
    assert.deepEqual(RiskReport.parse(report), report)
    assert.deepEqual(
      report.checks.map(({ name, type, result, passed, score }) => [name, type, result, passed, score]),
      [
        ['rug', 'rug', 'pass', true, 10],
        ['gas_spike', 'gas_spike', 'pass', true, 10],
      ],
    )
    assert.deepEqual([report.level, report.aggregate_score, report.flags], ['low', 10, []])
    assert.ok(report.checks.every(({ details }) => details.summary.length > 10))
  })

  it('are of nothing, and unknown, when no check is asked for', async () => {
    const asked = RiskRequest.parse({ ...EXAMPLES.risk, input: { ...EXAMPLES.risk.input, checks: [] } }).input.checks
    const report = await assessRisk(subject({}), asked ?? RISK_CHECKS, createFakeMarket())
    assert.deepEqual(report, { level: 'unknown', aggregate_score: null, checks: [], flags: [] })
  })

  it('are unknown when a source cannot be asked, and name it', async () => {
    const broken = { ...createFakeMarket(), largestFlow: () => Promise.reject(new Error('indexer: timed out')) }
    const report = await assessRisk(subject(), RISK_CHECKS, broken)
    assert.deepEqual([report.level, report.aggregate_score], ['unknown', null])
    const entry = report.checks.find(({ name }) => name === 'whale_flow')
    assert.deepEqual([entry?.result, entry?.passed, entry?.score], ['unknown', false, null])
    assert.match(entry?.details.summary ?? '', /indexer: timed out/)
    assert.deepEqual(report.flags, ['whale_flow:no_data'])
  })

  it('say which limit of the caller was broken, and are high for it', async () => {
    const broken = { max_price_impact_bps: 9, max_slippage_bps: 49, min_liquidity_usd: 1_000_001 }
    for (const [name, limit] of Object.entries(broken)) {
      const of = (thresholds: object) => riskSubject(CHAIN, [DOLLAR, NATIVE_ADDRESS], { priceImpactBps: 10, slippageBps: 50, thresholds })
      const over = await assessRisk(of({ [name]: limit }), RISK_CHECKS, createFakeMarket())
      assert.deepEqual([over.level, breachedThresholds(over).length], ['high', 1], name)
      const within = name === 'min_liquidity_usd' ? 1_000_000 : limit + 1
      const kept = await assessRisk(of({ [name]: within }), RISK_CHECKS, createFakeMarket())
      assert.deepEqual([kept.level, breachedThresholds(kept)], ['low', []], name)
    }
  })

  it('does not call a pool of 100 dollars good because its caller asks for less', async () => {
    for (const threshold of [undefined, 0, 20, 9_999]) {
      const market = createFakeMarket()
      market.factsOf.set(DOLLAR, { hasCode: true, listed: true, liquidityUsd: new Decimal(100) })
      const thresholds = threshold === undefined ? undefined : { min_liquidity_usd: threshold }
      const of = riskSubject(CHAIN, [DOLLAR, NATIVE_ADDRESS], { priceImpactBps: 10, slippageBps: 50, thresholds })
      const { level, flags } = await assessRisk(of, RISK_CHECKS, market)
      assert.deepEqual([level, flags], ['high', ['rug:liquidity_below_threshold']], String(threshold))
    }
  })

  it('are the same for the same figures, and never better with a check or a limit more', async () => {
    const figures = fc.record({
      liquidity: fc.nat(100_000),
      share: fc.nat(3_000),
      factor: fc.integer({ min: 80, max: 120 }),
      gas: fc.nat(1_500),
      impact: fc.nat(1_200),
      limit: fc.nat(1_200),
    })
    await fc.assert(
      fc.asyncProperty(
        figures,
        fc.subarray([...RISK_CHECKS], { minLength: 1 }),
        async ({ liquidity, share, factor, gas, impact, limit }, checks) => {
          const market = createFakeMarket()
          market.factsOf.set(DOLLAR, { hasCode: true, listed: true, liquidityUsd: new Decimal(liquidity) })
          market.flow = { shareBps: share, windowSec: 60 }
          market.poolFactor = new Decimal(factor).div(100)
          market.gasPercent = gas
          const of = subject({ priceImpactBps: impact })
          const some = await assessRisk(of, checks, market)
          assert.deepEqual(await assessRisk(of, checks, market), some)
          const all = await assessRisk(of, RISK_CHECKS, market)
          const limited = await assessRisk(subject({ priceImpactBps: impact, maxPriceImpactBps: limit }), RISK_CHECKS, market)
          assert.ok((all.aggregate_score ?? -1) <= (some.aggregate_score ?? -1))
          assert.ok((limited.aggregate_score ?? -1) <= (all.aggregate_score ?? -1))
          assert.equal(some.level, levelOf(some.aggregate_score))
          assert.equal(some.aggregate_score, Math.min(...some.checks.map(({ score }) => score ?? -1)))
        },
      ),
      { numRuns: 60 },
    )
  })

  it('take a quote of the session as it was given out, whatever the caller makes of it', async () => {
    const quotes = createMemoryQuoteStore()
    const clock = createManualClock(Date.UTC(2026, 4, 31))
    const assessor = createRiskAssessor(CHAIN, { market: createFakeMarket(), quotes, clock })
    const quote = {
      route: [],
      expected_out: '1',
      slippage_bps: 50,
      fees: {},
      gas_estimate: null,
      venue: 'v',
      quote_id: 'q_1',
      expires_at: '2026-06-01T00:00:00Z',
    }
    const input = { chain: 'evm' as const, addresses: [DOLLAR, NATIVE_ADDRESS] }
    await quotes.put({
      quote: { ...quote, price_impact_bps: 800 },
      sessionId: 's1',
      input: { chain_id: CHAIN, token_in_address: DOLLAR, token_out_address: NATIVE_ADDRESS, amount_in: '1' },
      inputDigest: `0x${'0'.repeat(64)}` as never,
      expectedOutUnits: '1',
      expiresAtMs: Date.UTC(2026, 5, 1),
    })
    const levelFor = async (session: string) => (await assessor.preview({ quote: { ...quote, price_impact_bps: 0 }, input }, session)).level
    assert.equal(await levelFor('s1'), 'high')
    assert.equal(await levelFor('s2'), 'low')
  })
})
