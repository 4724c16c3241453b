/**
 * The contract also accepts high s and v 0 or 1, which anyone can derive without the key. This node keeps and relays only the
 * canonical form, so that no other form hides an attestation or creates a second message.
 */
import { decodeStakingSignature, encodeStakingSignature } from '@keelson/contracts'
import { equalBytes, type Signature } from '@keelson/primitives'

export interface CanonicalSignature {
  readonly signature: Signature
  /** 65 bytes: r, s in the lower half, v 27 or 28. */
  readonly bytes: Uint8Array
  readonly given: boolean
}

/** secp256k1. SEC 2, section 2.4.1 */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** Returns null for bytes that no key can produce. */
export function canonicalSignature(given: Uint8Array): CanonicalSignature | null {
  const decoded = decodeStakingSignature(given)
  if (decoded === null) return null
  const { r, s, yParity } = decoded
  if (r === 0n || r >= ORDER || s === 0n || s >= ORDER) return null
  const signature: Signature = s > ORDER / 2n ? { r, s: ORDER - s, yParity: yParity === 0 ? 1 : 0 } : decoded
  const bytes = encodeStakingSignature(signature)
  return { signature, bytes, given: equalBytes(bytes, given) }
}
