/** Signatures as the Staking contract takes them: r, s and v (27 or 28) in 65 bytes. */
import { bigintToBytes, bytesToBigint, concatBytes, type Signature } from '@keelson/primitives'

const BYTES = 65

export function encodeStakingSignature({ r, s, yParity }: Signature): Uint8Array {
  return concatBytes(bigintToBytes(r, 32), bigintToBytes(s, 32), Uint8Array.of(27 + yParity))
}

/** Null when these are not 65 bytes that end with 0, 1, 27 or 28. */
export function decodeStakingSignature(bytes: Uint8Array): Signature | null {
  const v = bytes[BYTES - 1]
  if (bytes.length !== BYTES || v === undefined || ![0, 1, 27, 28].includes(v)) return null
  return { r: bytesToBigint(bytes.subarray(0, 32)), s: bytesToBigint(bytes.subarray(32, 64)), yParity: v % 27 === 0 ? 0 : 1 }
}
