/**
 * The one form of an attestation's signature that is kept and gossiped. Evidence counts on chain in other forms too: with
 * s in the upper half of the curve's order, with v of 0 or 1. Anyone can make these from the canonical form without the
 * key. So every form counts here, and only the canonical one goes on: another form hides no attestation and makes no
 * second message.
 */
import { decodeStakingSignature, encodeStakingSignature } from '@keelson/contracts'
import { equalBytes, type Signature } from '@keelson/primitives'

export interface CanonicalSignature {
  readonly signature: Signature
  /** 65 bytes: r, s in the lower half, v of 27 or 28. */
  readonly bytes: Uint8Array
  /** Whether it was given in this form. */
  readonly given: boolean
}

/** secp256k1. SEC 2, section 2.4.1 */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** Null for bytes that no key can have made, and that the contract refuses too. */
export function canonicalSignature(given: Uint8Array): CanonicalSignature | null {
  const decoded = decodeStakingSignature(given)
  if (decoded === null) return null
  const { r, s, yParity } = decoded
  if (r === 0n || r >= ORDER || s === 0n || s >= ORDER) return null
  const signature: Signature = s > ORDER / 2n ? { r, s: ORDER - s, yParity: yParity === 0 ? 1 : 0 } : decoded
  const bytes = encodeStakingSignature(signature)
  return { signature, bytes, given: equalBytes(bytes, given) }
}
