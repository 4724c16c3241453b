/** A transaction's bytes beside its fields, and their hash, computed on first use and remembered. */
import type { Hash } from '../hex.ts'
import { keccak256Hash } from '../keccak.ts'
import type { Encoded } from './transaction.ts'

const hashes = new WeakMap<Encoded, Hash>()

/** One getter for all transactions: one of its own would give each an own shape, which costs more than decoding. */
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

/** Adds `raw` and `hash` to the object given. */
export function withEncoding<T extends object>(fields: T, raw: Uint8Array): T & Encoded {
  return Object.defineProperty(Object.assign(fields, { raw }), 'hash', HASH) as T & Encoded
}
