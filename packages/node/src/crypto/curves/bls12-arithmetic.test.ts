import assert from 'node:assert/strict'
import { bigintToBytes, bytesToBigint } from '@keelson/primitives'
import fc from 'fast-check'
import { createBls12Arithmetic } from './bls12-arithmetic.ts'
import { BLS12_381 } from './curve-shape.ts'

const { modulus, fieldBytes } = BLS12_381
const arithmetic = createBls12Arithmetic()
const [bytes, x, y, z] = Array.from({ length: 4 }, () => arithmetic.allocate(128)) as [number, number, number, number]

function put(at: number, value: bigint): void {
  new Uint8Array(arithmetic.memory.buffer).set(bigintToBytes(value, fieldBytes), bytes)
  arithmetic.readElement(at, bytes)
}

function get(at: number): bigint {
  arithmetic.writeElement(bytes, at)
  return bytesToBigint(new Uint8Array(arithmetic.memory.buffer).slice(bytes, bytes + fieldBytes))
}

const reduced = (value: bigint) => ((value % modulus) + modulus) % modulus
const edges = [0n, 1n, 2n, modulus - 1n, modulus - 2n, modulus >> 1n, (modulus >> 1n) + 1n, 2n ** 364n, 2n ** 380n, 2n ** 28n - 1n]
const element = fc.oneof(fc.constantFrom(...edges), fc.bigInt({ min: 0n, max: modulus - 1n }))

describe('the field of BLS12-381 in WebAssembly', () => {
  it('multiplies and negates as BigInt does, also what was negated before', () => {
    fc.assert(
      fc.property(element, element, (a, b) => {
        put(x, a)
        put(y, b)
        assert.equal(get(x), a)
        arithmetic.negate(x, x)
        assert.equal(get(x), reduced(-a))
        arithmetic.multiply(z, x, y)
        assert.equal(get(z), reduced(-a * b))
        arithmetic.negate(z, z)
        arithmetic.negate(z, z)
        arithmetic.multiply(z, z, z)
        assert.equal(get(z), reduced(a * b * a * b))
      }),
      { numRuns: 300 },
    )
  })

  it('multiplies elements of the quadratic extension as BigInt does', () => {
    fc.assert(
      fc.property(element, element, element, element, (a, b, c, d) => {
        put(x, a)
        put(x + 64, b)
        put(y, c)
        put(y + 64, d)
        arithmetic.negate(x, x)
        arithmetic.multiply2(z, x, y)
        assert.deepEqual([get(z), get(z + 64)], [reduced(-a * c - b * d), reduced(-a * d + b * c)])
      }),
      { numRuns: 300 },
    )
  })
})
