import assert from 'node:assert/strict'
import fc from 'fast-check'
import { powerModulo } from './power-modulo.ts'

describe('power modulo', () => {
  const number = (bits: number) => fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) })

  it('equals the remainder of the power for small numbers', () => {
    fc.assert(
      fc.property(number(64), fc.bigInt({ min: 0n, max: 300n }), number(80), (base, exponent, modulus) => {
        assert.equal(powerModulo(base, exponent, modulus + 1n), base ** exponent % (modulus + 1n))
      }),
    )
  })

  it('keeps the laws of powers for exponents of any length', () => {
    fc.assert(
      fc.property(number(300), number(300), number(100), number(300), (base, a, b, less) => {
        const modulus = less + 1n
        const power = (exponent: bigint) => powerModulo(base, exponent, modulus)
        assert.equal(power(a + b), (power(a) * power(b)) % modulus)
        assert.equal(power(a * b), powerModulo(power(a), b, modulus))
      }),
    )
  })

  it('handles one and zero', () => {
    assert.deepEqual(
      [powerModulo(0n, 0n, 1n), powerModulo(0n, 0n, 5n), powerModulo(0n, 2n ** 30n, 5n), powerModulo(7n, 2n ** 30n, 1n)],
      [0n, 1n, 0n, 0n],
    )
  })
})
