import { type Address, hasWrongChecksum, isHex, toAddress } from '@keelson/primitives'
import { isNative, NATIVE_ADDRESS } from '../market/chain/native-address.ts'

/** Throws CodecError. */
export function normalizeToken(text: string): Address {
  return isNative(text) ? NATIVE_ADDRESS : toAddress(text.toLowerCase())
}

/** Accepts one case throughout, and what is no address at all. EIP-55 */
export function isChecksummed(text: string): boolean {
  return !isHex(text, 20) || !hasWrongChecksum(text)
}
