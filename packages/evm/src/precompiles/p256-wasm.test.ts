import assert from 'node:assert/strict'
import { bigintToBytes, bytesToBigint, bytesToHex, concatBytes } from '@keelson/primitives'
import { p256 } from '@noble/curves/nist.js'
import fc from 'fast-check'
import { verifyP256 } from './p256-wasm.ts'

const word = (value: bigint) => bigintToBytes(value, 32)
const { Point } = p256
const { ORDER } = Point.Fn
const MODULUS = Point.Fp.ORDER

/** u G + v Q = R is signed by r = R.x, s = r / v, digest = u s. */
function signatureOf(u: bigint, v: bigint, key: bigint): Uint8Array {
  const { x, y } = Point.BASE.multiply(key).toAffine()
  const sum = Point.BASE.multiplyUnsafe((u + v * key) % ORDER)
  const r = sum.is0() ? 1n : sum.toAffine().x % ORDER
  const s = Point.Fn.mul(r, Point.Fn.inv(v))
  return concatBytes(...[Point.Fn.mul(u, s), r, s, x, y].map(word))
}

function judge(input: Uint8Array): boolean {
  try {
    const key = Uint8Array.of(4, ...input.subarray(96))
    return p256.verify(input.subarray(32, 96), input.subarray(0, 32), key, { lowS: false, prehash: false })
  } catch {
    return false
  }
}

describe('secp256r1 in WebAssembly', () => {
  it('verifies signatures of noble, and refuses them with any changed byte', () => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 })
    const key = bytes.filter((value) => value[0] !== 255 && value.some((byte) => byte !== 0))
    fc.assert(
      fc.property(key, bytes, fc.integer({ min: 0, max: 159 }), (secret, digest, at) => {
        const signature = p256.sign(digest, secret, { prehash: false, lowS: false })
        const input = concatBytes(digest, signature, p256.getPublicKey(secret, false).subarray(1))
        assert.equal(verifyP256(input), true)
        assert.equal(verifyP256(Uint8Array.from(input, (byte, i) => (i === at ? byte ^ 1 : byte))), false)
      }),
      { numRuns: 30 },
    )
    assert.equal(verifyP256(new Uint8Array(160)), false)
    assert.equal(verifyP256(new Uint8Array(160).fill(0xff)), false)
  })

  it('accepts both s and its negative, but nothing outside the order', () => {
    const secret = new Uint8Array(32).fill(5)
    const digest = new Uint8Array(32).fill(9)
    const signature = p256.sign(digest, secret, { prehash: false })
    const key = p256.getPublicKey(secret, false).subarray(1)
    const { ORDER } = p256.Point.Fn
    const s = BigInt(bytesToHex(signature.subarray(32)))
    const check = (value: bigint) => verifyP256(concatBytes(digest, signature.subarray(0, 32), word(value), key))
    assert.deepEqual([check(s), check(ORDER - s), check(0n), check(ORDER)], [true, true, false, false])
    if (s + ORDER < 2n ** 256n) assert.equal(check(s + ORDER), false)
  })

  it('adds equal and opposite points on the way: scalars that are small, equal or opposite', () => {
    for (const key of [1n, 2n, 3n, ORDER - 1n, ORDER - 2n, (ORDER + 1n) / 2n]) {
      for (const u of [0n, 1n, 2n, 3n, 16n, ORDER - 1n, ORDER - 2n, 2n ** 255n]) {
        for (const v of [1n, 2n, 5n, ORDER - 1n, ORDER - 3n, 2n ** 254n + 1n]) {
          const infinite = (u + v * key) % ORDER === 0n
          const input = signatureOf(u, v, key)
          assert.equal(verifyP256(input), !infinite, `${u} ${v} ${key}`)
          assert.equal(judge(input), !infinite)
        }
      }
    }
  })

  it('judges arbitrary scalars and keys as noble does', () => {
    const scalar = fc.bigInt({ min: 1n, max: ORDER - 1n })
    fc.assert(
      fc.property(scalar, scalar, scalar, fc.constantFrom(0n, 1n, ORDER), (u, v, key, addend) => {
        const input = signatureOf(u, v, key)
        assert.equal(verifyP256(input), true)
        const digest = bytesToBigint(input.subarray(0, 32)) + addend
        if (digest < 2n ** 256n) assert.equal(verifyP256(concatBytes(word(digest), input.subarray(32))), addend % ORDER === 0n)
      }),
      { numRuns: 100 },
    )
  })

  it('compares x modulo the order: a sum whose x is above it', () => {
    let x = ORDER
    let point: InstanceType<typeof Point> | null = null
    for (; point === null; x++) {
      try {
        point = Point.fromHex(`02${x.toString(16).padStart(64, '0')}`)
      } catch {
        // No point has this x.
      }
    }
    const { y } = point.toAffine()
    const r = x - 1n - ORDER
    const input = concatBytes(word(0n), word(r), word(r), word(x - 1n), word(y))
    assert.equal(judge(input), true)
    assert.equal(verifyP256(input), true)
    assert.equal(verifyP256(concatBytes(word(0n), word(r + 1n), word(r + 1n), word(x - 1n), word(y))), false)
  })

  it('refuses keys off the curve, at infinity and with coordinates from the modulus on', () => {
    const good = signatureOf(5n, 7n, 11n)
    const withKey = (x: bigint, y: bigint) => verifyP256(concatBytes(good.subarray(0, 96), word(x), word(y)))
    const [x, y] = [bytesToBigint(good.subarray(96, 128)), bytesToBigint(good.subarray(128))]
    assert.deepEqual(
      [withKey(x, y), withKey(x, y + 1n), withKey(0n, 0n), withKey(MODULUS, y), withKey(x, MODULUS - y)],
      [true, false, false, false, false],
    )
    if (x + MODULUS < 2n ** 256n) assert.equal(withKey(x + MODULUS, y), false)
  })
})
