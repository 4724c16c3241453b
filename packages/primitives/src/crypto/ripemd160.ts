import { ripemd160 as nobleRipemd160 } from '@noble/hashes/legacy.js'

/** Returns 20 bytes. */
export function ripemd160(data: Uint8Array): Uint8Array {
  return nobleRipemd160(data)
}
