import type { Bytes32 } from '@keelson/primitives'
import { bytesToKey } from '../byte-key.ts'
import type { NodeSource } from '../trie/node-source.ts'
import { proveTrieKey } from '../trie/read.ts'

/** The nodes on the paths to both ends of a range, each once; a null `last` stands for a range without entries. */
export function proveRange(source: NodeSource, root: Bytes32, origin: Bytes32, last: Bytes32 | null): Uint8Array[] {
  const nodes = new Map<string, Uint8Array>()
  for (const key of last === null ? [origin] : [origin, last])
    for (const rlp of proveTrieKey(source, root, key).nodes) nodes.set(bytesToKey(rlp), rlp)
  return [...nodes.values()]
}
