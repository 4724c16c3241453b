/** r, s and v (27 or 28) in 65 bytes. */
import { bigintToBytes, bytesToBigint, concatBytes, SECP256K1_HALF_ORDER, type Signature } from '@keelson/primitives'

const BYTES = 65
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** Replaces a high s by its equivalent, because the contract rejects it. */
export function encodeStakingSignature({ r, s, yParity }: Signature): Uint8Array {
  const isHigh = s > SECP256K1_HALF_ORDER
  return concatBytes(bigintToBytes(r, 32), bigintToBytes(isHigh ? ORDER - s : s, 32), Uint8Array.of(27 + (isHigh ? 1 - yParity : yParity)))
}

/** Null unless it is 65 bytes ending with 0, 1, 27 or 28. */
export function decodeStakingSignature(bytes: Uint8Array): Signature | null {
  const v = bytes[BYTES - 1]
  if (bytes.length !== BYTES || v === undefined || ![0, 1, 27, 28].includes(v)) return null
  return { r: bytesToBigint(bytes.subarray(0, 32)), s: bytesToBigint(bytes.subarray(32, 64)), yParity: v % 27 === 0 ? 0 : 1 }
}
