import { type Bytes32, keccak256 } from '@keelson/primitives'
import { bytesToKey } from './byte-key.ts'

export type Hasher = (preimage: Uint8Array) => Bytes32

const DEFAULT_MAX_ENTRIES = 65_536

export function createHasher(maxEntries = DEFAULT_MAX_ENTRIES): Hasher {
  let young = new Map<string, Bytes32>()
  let old = new Map<string, Bytes32>()
  return (preimage) => {
    const key = bytesToKey(preimage)
    let hash = young.get(key)
    if (hash !== undefined) return hash
    hash = old.get(key) ?? keccak256(preimage)
    if (young.size >= maxEntries / 2) {
      old = young
      young = new Map()
    }
    young.set(key, hash)
    return hash
  }
}
