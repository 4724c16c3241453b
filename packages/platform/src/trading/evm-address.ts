/** Addresses as callers write them, and the two that stand for the chain's own coin. */
import { type Address, isHex, toAddress, toChecksumAddress } from '@keelson/primitives'
import { isNative, NATIVE_ADDRESS } from '../market/chain/native-address.ts'

/** One form for every token: lower case, the native coin always as NATIVE_ADDRESS. Throws CodecError. */
export function normalizeToken(text: string): Address {
  return isNative(text) ? NATIVE_ADDRESS : toAddress(text.toLowerCase())
}

/** True where letters have one case throughout, or the case EIP-55 gives them. */
export function isChecksummed(text: string): boolean {
  const digits = text.slice(2)
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return true
  const lower = text.toLowerCase()
  return isHex(lower, 20) && toChecksumAddress(toAddress(lower)) === text
}
