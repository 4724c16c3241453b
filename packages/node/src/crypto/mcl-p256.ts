/** ECDSA verification on secp256r1. SEC 1, section 4.1.4. */
import { bigintToBytes, bytesToBigint, concatBytes } from '@keelson/primitives'
import { type CurveShape, MclCurve, type MclModule } from './mcl-curve.ts'

const SECP256R1: CurveShape = {
  id: 107,
  modulus: 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn,
  fieldBytes: 32,
  slotBytes: 32,
  imaginaryFirst: false,
  cofactorG1: false,
}
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
const BASE_POINT = concatBytes(
  bigintToBytes(0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n, 32),
  bigintToBytes(0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n, 32),
)

/** Input: digest, r, s, and the public key's coordinates, 160 bytes. */
export function createP256Verifier(mcl: MclModule): (input: Uint8Array) => boolean {
  const curve = new MclCurve(mcl, SECP256R1)
  return (input) => {
    const [digest, r, s, x, y] = [0, 32, 64, 96, 128].map((at) => bytesToBigint(input.subarray(at, at + 32))) as [
      bigint,
      bigint,
      bigint,
      bigint,
      bigint,
    ]
    if (r === 0n || r >= ORDER || s === 0n || s >= ORDER || (x === 0n && y === 0n)) return false
    const w = inverse(s, ORDER)
    const products = [BASE_POINT, bigintToBytes((digest * w) % ORDER, 32), input.subarray(96), bigintToBytes((r * w) % ORDER, 32)]
    const point = curve.sumOfProducts('g1', concatBytes(...products))
    // `point` is null if the key is off the curve. The point at infinity has x = 0, which r never equals.
    return point !== null && bytesToBigint(point.subarray(0, 32)) % ORDER === r
  }
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
