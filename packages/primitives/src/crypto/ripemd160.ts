import { ripemd160 as nobleRipemd160 } from '@noble/hashes/legacy.js'

export function ripemd160(data: Uint8Array): Uint8Array {
  return nobleRipemd160(data)
}
