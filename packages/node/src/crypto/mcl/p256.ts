/** ECDSA verification on secp256r1. SEC 1, section 4.1.4. */
import { bigintToBytes, bytesToBigint, concatBytes } from '@keelson/primitives'
import { SECP256R1 } from './curve-shape.ts'
import { MclCurve } from './mcl-curve.ts'
import type { MclModule } from './mcl-module.ts'
import { SumOfProducts } from './sum-of-products.ts'

const BASE_POINT = concatBytes(
  bigintToBytes(0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n, 32),
  bigintToBytes(0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n, 32),
)

/** Input: digest, r, s, and the public key's coordinates, 160 bytes. */
export function createP256Verifier(mcl: MclModule): (input: Uint8Array) => boolean {
  const curve = new MclCurve(mcl, SECP256R1)
  const { memory } = curve
  const { order } = SECP256R1
  const { codec, operations } = curve.first()
  const [base, key, sum] = [0, 1, 2].map(() => memory.allocate(operations.pointBytes)) as [number, number, number]
  const products = new SumOfProducts(operations, memory, { map: noMap, radix: 2n ** 256n, parts: 1 }, 2)
  codec.read(BASE_POINT, 0, base)
  return (input) => {
    const word = (at: number) => bytesToBigint(input.subarray(at, at + 32))
    const [digest, r, s] = [word(0), word(32), word(64)]
    if (r === 0n || r >= order || s === 0n || s >= order) return false
    if (!codec.read(input, 96, key) || operations.isZero(key) === 1) return false
    const w = inverse(s, order)
    products.append(base, (digest * w) % order)
    products.append(key, (r * w) % order)
    products.finish(sum)
    // The point at infinity is written as x = 0, which r never equals.
    return bytesToBigint(codec.write(sum).subarray(0, 32)) % order === r
  }
}

function noMap(): never {
  throw new Error('scalars of one part need no endomorphism')
}

function inverse(value: bigint, modulus: bigint): bigint {
  let [a, b] = [modulus, value]
  let [u, v] = [0n, 1n]
  while (b > 1n) {
    const quotient = a / b
    ;[a, b] = [b, a - quotient * b]
    ;[u, v] = [v, u - quotient * v]
  }
  return v < 0n ? v + modulus : v
}
