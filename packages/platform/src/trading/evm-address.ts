import { type Address, isHex, toAddress, toChecksumAddress } from '@keelson/primitives'
import { isNative, NATIVE_ADDRESS } from '../market/chain/native-address.ts'

/** Throws CodecError. */
export function normalizeToken(text: string): Address {
  return isNative(text) ? NATIVE_ADDRESS : toAddress(text.toLowerCase())
}

/** Accepts one case throughout. EIP-55 */
export function isChecksummed(text: string): boolean {
  const digits = text.slice(2)
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return true
  const lower = text.toLowerCase()
  return isHex(lower, 20) && toChecksumAddress(toAddress(lower)) === text
}
