import assert from 'node:assert/strict'
import fc from 'fast-check'
import { formatAmount, parseAmount } from './amount.ts'

describe('amounts', () => {
  it('are parsed with a decimal point, up to the number of decimals', () => {
    assert.equal(parseAmount('0.5', 18), 5n * 10n ** 17n)
    assert.equal(parseAmount('12', 6), 12_000_000n)
    assert.equal(parseAmount('0.000001', 6), 1n)
    assert.equal(parseAmount('7', 0), 7n)
    for (const text of ['0.0000001', '', '.5', '1.', '-1', '1e18', '0x10', '1,5', ' 1']) assert.equal(parseAmount(text, 6), null, text)
  })

  it('are formatted so that they parse to the same value', () => {
    assert.equal(formatAmount(1_500_000n, 6), '1.5')
    assert.equal(formatAmount(0n, 18), '0')
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 128n }), fc.integer({ min: 0, max: 30 }), (amount, decimals) => {
        assert.equal(parseAmount(formatAmount(amount, decimals), decimals), amount)
      }),
    )
  })
})
