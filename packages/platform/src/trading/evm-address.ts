/** Addresses as callers write them, and the two that stand for the chain's own coin. */
import { type Address, isHex, toAddress, toChecksumAddress } from '@keelson/primitives'

/** Both are in use for the coin that pays for gas. */
const NATIVE: ReadonlySet<string> = new Set(['0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee', `0x${'0'.repeat(40)}`])
export const NATIVE_TOKEN = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee' as Address

export function isNative(token: string): boolean {
  return NATIVE.has(token.toLowerCase())
}

/** One form for every token: lower case, the native coin always as NATIVE_TOKEN. Throws CodecError. */
export function normalizeToken(text: string): Address {
  return isNative(text) ? NATIVE_TOKEN : toAddress(text.toLowerCase())
}

/** True where letters have one case throughout, or the case EIP-55 gives them. */
export function isChecksummed(text: string): boolean {
  const digits = text.slice(2)
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return true
  const lower = text.toLowerCase()
  return isHex(lower, 20) && toChecksumAddress(toAddress(lower)) === text
}
