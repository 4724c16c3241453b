import assert from 'node:assert/strict'
import { bigintToBytes, bytesToBigint } from '@keelson/primitives'
import fc from 'fast-check'
import { math, mathInputAt, mathMemory } from './math-instance.ts'

const mathBytes = mathMemory(mathInputAt)
const OUT = mathInputAt
const BASE = mathInputAt + 0x1000
const MODULUS = mathInputAt + 0x2000
const EXPONENT = mathInputAt + 0x3000

function modularPower(base: Uint8Array, exponent: Uint8Array, modulus: Uint8Array): bigint {
  mathBytes.fill(0xa5, OUT, EXPONENT + exponent.length + 64)
  mathBytes.set(base, BASE)
  mathBytes.set(exponent, EXPONENT)
  mathBytes.set(modulus, MODULUS)
  math.modularPower(BASE, base.length, EXPONENT, exponent.length, MODULUS, modulus.length, OUT)
  assert.equal(mathBytes[OUT + modulus.length], 0xa5, 'writes only the bytes of the modulus')
  return bytesToBigint(mathBytes.slice(OUT, OUT + modulus.length))
}

function expected(base: bigint, exponent: bigint, modulus: bigint): bigint {
  if (modulus === 0n) return 0n
  let result = 1n % modulus
  for (const bit of exponent.toString(2)) {
    result = (result * result) % modulus
    if (bit === '1') result = (result * base) % modulus
  }
  return result
}

function agrees(base: bigint, exponent: bigint, modulus: bigint, padding = 0): void {
  const bytes = (value: bigint) => bigintToBytes(value, Math.ceil(value.toString(16).length / 2) + padding)
  const got = modularPower(bytes(base), bytes(exponent), bytes(modulus))
  assert.equal(got, expected(base, exponent, modulus), `0x${base.toString(16)} ** 0x${exponent.toString(16)} % 0x${modulus.toString(16)}`)
}

const below = (bits: number) => fc.bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n })
const ragged = (maxBits: number) =>
  fc
    .array(fc.tuple(fc.nat(130), fc.boolean()), { minLength: 1, maxLength: 12 })
    .map((runs) => runs.reduce((sum, [length, ones]) => (sum << BigInt(length)) | (ones ? (1n << BigInt(length)) - 1n : 0n), 0n))
    .map((value) => BigInt.asUintN(maxBits, value))
const number = (maxBits: number) => fc.oneof(fc.integer({ min: 1, max: maxBits }).chain(below), ragged(maxBits))

describe('modular exponentiation in WASM', () => {
  it('agrees with BigInt for small numbers', () => {
    for (let modulus = 0n; modulus <= 24n; modulus++)
      for (let base = 0n; base <= 25n; base++) for (let exponent = 0n; exponent <= 20n; exponent++) agrees(base, exponent, modulus)
  })

  it('agrees with BigInt at the edges of limbs', () => {
    const edges = [1, 31, 32, 63, 64, 65, 127, 128, 129, 191, 192, 255, 256].flatMap((bits) => {
      const power = 1n << BigInt(bits)
      return [power - 1n, power, power + 1n]
    })
    for (const modulus of edges)
      for (const base of edges)
        for (const exponent of [2n, 3n, 0xffn, 0x10001n, 0x1000_0000n, (1n << 64n) - 1n]) agrees(base, exponent, modulus)
  })

  it('agrees with BigInt for any numbers of a few limbs, with leading zeros', () => {
    fc.assert(fc.property(number(600), number(100), number(600), fc.nat(9), agrees), { numRuns: 3000 })
  })

  it('agrees with BigInt where the modulus is an odd number times a power of two', () => {
    fc.assert(
      fc.property(number(500), number(80), number(400), fc.nat(400), (base, exponent, odd, zeros) =>
        agrees(base, exponent, (odd | 1n) << BigInt(zeros)),
      ),
      { numRuns: 2000 },
    )
  })

  it('agrees with BigInt up to the longest operands', () => {
    const longest = 8 * 1024
    const ones = (1n << BigInt(longest)) - 1n
    for (const modulus of [ones, ones - 1n, 1n << BigInt(longest - 1), (ones >> 4000n) << 4000n, ones >> 64n])
      for (const exponent of [0n, 1n, 3n, 0x8000_0001n]) agrees(ones - 12345n, exponent, modulus)
    fc.assert(
      fc.property(below(longest), below(40), below(longest), (base, exponent, modulus) => agrees(base, exponent, modulus)),
      { numRuns: 20 },
    )
  })

  it('gives nothing for an empty modulus, and one for an empty exponent', () => {
    assert.equal(modularPower(Uint8Array.of(2), Uint8Array.of(3), new Uint8Array(0)), 0n)
    assert.equal(modularPower(Uint8Array.of(2), new Uint8Array(0), Uint8Array.of(7)), 1n)
    assert.equal(modularPower(new Uint8Array(0), new Uint8Array(0), Uint8Array.of(1)), 0n)
    assert.equal(modularPower(new Uint8Array(0), Uint8Array.of(5), Uint8Array.of(7)), 0n)
  })
})
