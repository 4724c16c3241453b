import type { Address } from '@keelson/primitives'

/** ERC-7528. */
export const NATIVE_ADDRESS = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee' as Address
const NATIVE: ReadonlySet<string> = new Set([NATIVE_ADDRESS, `0x${'0'.repeat(40)}`])

export function isNative(token: string): boolean {
  return NATIVE.has(token.toLowerCase())
}
