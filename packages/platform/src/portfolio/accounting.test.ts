import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Decimal } from '../market/decimal.ts'
import { averageCostUsd, buy, EMPTY_HOLDING, type Holding, marketValueUsd, sell, unrealizedUsd, ZERO } from './accounting.ts'

interface Step {
  readonly side: 'buy' | 'sell'
  readonly quantity: Decimal
  readonly valueUsd: Decimal
  readonly priceUsd: Decimal
  readonly feesUsd: Decimal
}

const d = (text: string) => new Decimal(text)
const decimal = (min: bigint, places: number) => fc.bigInt(min, 10n ** 24n).map((units) => d(units.toString()).div(d('10').pow(places)))
const step: fc.Arbitrary<Step> = fc.record({
  side: fc.constantFrom('buy' as const, 'sell' as const),
  quantity: decimal(1n, 18),
  valueUsd: decimal(0n, 12),
  priceUsd: decimal(0n, 15),
  feesUsd: decimal(0n, 18),
})
const leg = (quantity: string, valueUsd: string) => ({ quantity: d(quantity), valueUsd: d(valueUsd), priceUsd: d(valueUsd).div(quantity) })
const apply = (holding: Holding, at: Step): Holding => (at.side === 'buy' ? buy(holding, at, at.feesUsd) : sell(holding, at).holding)
const same = (got: Decimal, expected: Decimal) =>
  assert.ok(got.minus(expected).abs().lt('1e-30'), `expected ${expected.toFixed()}, got ${got.toFixed()}`)

describe('positions by average cost', () => {
  it('take the average of what was paid, and realise the difference on sale', () => {
    let holding = buy(EMPTY_HOLDING, leg('1', '1000'), ZERO)
    holding = buy(holding, leg('3', '5000'), d('20'))
    assert.equal(averageCostUsd(holding).toFixed(), '1505')
    const sale = sell(holding, leg('2', '4000'))
    assert.equal(sale.realizedUsd.toFixed(), '990')
    assert.equal(sale.holding.costUsd.toFixed(), '3010')
    assert.equal(unrealizedUsd(sale.holding).toFixed(), '990')
    assert.equal(sale.unrecorded.toFixed(), '0')
  })

  it('a sale of more than is held closes it; the part beyond realises nothing', () => {
    const sale = sell(buy(EMPTY_HOLDING, leg('1', '100'), ZERO), leg('4', '800'))
    assert.equal(sale.holding.quantity.toFixed(), '0')
    assert.equal(sale.holding.costUsd.toFixed(), '0')
    assert.equal(sale.realizedUsd.toFixed(), '100')
    assert.equal(sale.unrecorded.toFixed(), '3')
    assert.equal(averageCostUsd(sale.holding).toFixed(), '0')
    assert.equal(sell(EMPTY_HOLDING, leg('4', '800')).realizedUsd.toFixed(), '0')
  })

  it('realised and unrealised together are the value held and the proceeds, less what was paid', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let holding = EMPTY_HOLDING
        let paid = ZERO
        let proceeds = ZERO
        for (const at of steps) {
          if (at.side === 'buy') paid = paid.plus(at.valueUsd).plus(at.feesUsd)
          else {
            const matched = Decimal.min(holding.quantity, at.quantity)
            proceeds = proceeds.plus(at.valueUsd.times(matched).div(at.quantity))
          }
          holding = apply(holding, at)
          assert.ok(holding.quantity.gte(0) && holding.costUsd.gte(0))
          if (holding.quantity.isZero()) assert.ok(holding.costUsd.isZero())
        }
        same(holding.realizedUsd.plus(unrealizedUsd(holding)), marketValueUsd(holding).plus(proceeds).minus(paid))
      }),
    )
  })

  it('of different tokens do not depend on the order in which the trades of one are mixed with those of the other', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ token: fc.constantFrom('a', 'b', 'c'), step }), { maxLength: 30 }), (mixed) => {
        const run = (trades: typeof mixed) => {
          const held = new Map<string, Holding>()
          for (const { token, step: at } of trades) held.set(token, apply(held.get(token) ?? EMPTY_HOLDING, at))
          return held
        }
        const sorted = ['c', 'a', 'b'].flatMap((token) => mixed.filter((trade) => trade.token === token))
        const [one, other] = [run(mixed), run(sorted)]
        for (const [token, holding] of one) {
          const twin = other.get(token)
          assert.equal(twin?.costUsd.toFixed(), holding.costUsd.toFixed())
          assert.equal(twin?.quantity.toFixed(), holding.quantity.toFixed())
          assert.equal(twin?.realizedUsd.toFixed(), holding.realizedUsd.toFixed())
        }
      }),
    )
  })

  it('buying and selling at one price realises nothing, whatever the parts', () => {
    fc.assert(
      fc.property(decimal(1n, 9), fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 10 }), (price, parts) => {
        const at = (quantity: number) => ({ quantity: d(String(quantity)), valueUsd: price.times(quantity), priceUsd: price })
        let holding = EMPTY_HOLDING
        for (const part of parts) holding = buy(holding, at(part), ZERO)
        for (const part of parts) holding = sell(holding, at(part)).holding
        same(holding.realizedUsd, ZERO)
        assert.ok(holding.quantity.isZero())
      }),
    )
  })
})
