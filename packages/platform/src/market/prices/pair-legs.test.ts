import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Decimal, formatAmount, formatUsd, parseAmount } from '../decimal.ts'
import { findLegs, methodOf, parsePair, priceThrough } from './pair-legs.ts'

const PAIRS = [
  { base: 'ETH', quote: 'USD' },
  { base: 'BTC', quote: 'USD' },
  { base: 'EUR', quote: 'ETH' },
]
const price = (base: string, quote: string) => {
  const legs = findLegs(PAIRS, { base, quote })
  if (legs === null) return null
  const prices = legs.map(({ index }) => new Decimal([2500, 100_000, 0.0004][index] as number))
  return [priceThrough(legs, prices).toFixed(), methodOf(legs)]
}

describe('pairs of a source', () => {
  it('are found as they are, upside down, and across the dollar', () => {
    assert.deepEqual(price('ETH', 'USD'), ['2500', 'direct'])
    assert.deepEqual(price('USD', 'ETH'), ['0.0004', 'inverse'])
    assert.deepEqual(price('BTC', 'ETH'), ['40', 'cross'])
    assert.deepEqual(price('ETH', 'BTC'), ['0.025', 'cross'])
    assert.deepEqual(price('ETH', 'EUR'), ['2500', 'inverse'])
  })

  it('are not made of more than that', () => {
    assert.equal(price('EUR', 'BTC'), null)
    assert.equal(price('ETH', 'ETH'), null)
    assert.equal(price('DOGE', 'USD'), null)
  })

  it('are written BASE/QUOTE', () => {
    assert.deepEqual(parsePair(' ETH/USD '), { base: 'ETH', quote: 'USD' })
    for (const text of ['ETHUSD', 'ETH/', '/USD', 'A/B/C', 'ETH/US D', `${'A'.repeat(17)}/USD`]) assert.equal(parsePair(text), null, text)
  })
})

describe('amounts as text', () => {
  it('come back as the integers they were', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }), fc.integer({ min: 0, max: 36 }), (amount, decimals) => {
        assert.equal(parseAmount(formatAmount(amount, decimals), decimals), amount)
      }),
    )
  })

  it('are refused with more digits than the token has, exponents, signs, or beyond 256 bits', () => {
    assert.equal(parseAmount('1.50', 1), 15n)
    for (const text of ['1.55', '1e3', '-1', '+1', '01', '.5', '1.', '', '0x1', 'NaN', '9'.repeat(78)])
      assert.equal(parseAmount(text, 1), null, text)
  })

  it('of dollars are shown to the cent, below one to six digits', () => {
    assert.equal(formatUsd(new Decimal('1234.567')), '1234.57')
    assert.equal(formatUsd(new Decimal('0.00012345')), '0.000123')
  })
})
