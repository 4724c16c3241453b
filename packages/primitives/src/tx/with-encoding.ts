import type { Hash } from '../hex.ts'
import { keccak256Hash } from '../keccak.ts'
import type { Encoded } from './transaction.ts'

const hashes = new WeakMap<Encoded, Hash>()

/** All transactions share this getter: own getters would give each object its own shape, which costs more than decoding. */
const HASH = {
  enumerable: true,
  get(this: Encoded): Hash {
    let hash = hashes.get(this)
    if (hash === undefined) {
      hash = keccak256Hash(this.raw)
      hashes.set(this, hash)
    }
    return hash
  },
}

/** `hash` is computed on first use. */
export function withEncoding<T extends object>(fields: T, raw: Uint8Array): T & Encoded {
  return Object.defineProperty(Object.assign(fields, { raw }), 'hash', HASH) as T & Encoded
}
