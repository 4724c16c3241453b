import { keccak256 } from '@keelson/primitives'
import { commonNibbles } from '../trie/nibbles.ts'
import { encodeLeaf, encodeNode, hashReference, isEmbedded, type NodeReference } from '../trie/node.ts'
import type { RangeEntry } from './range-entry.ts'

/**
 * The reference to the node of the entries `from` to `to`, whose keys share their first `depth` nibbles. `keys` are the nibbles of
 * all entries. `root` hashes a node of any size.
 */
export function subtreeReference(
  entries: readonly RangeEntry[],
  keys: readonly Uint8Array[],
  from: number,
  to: number,
  depth: number,
  root: boolean,
): NodeReference {
  const rlp = encodeSubtree(entries, keys, from, to, depth)
  return isEmbedded(rlp) && !root ? rlp : hashReference(keccak256(rlp))
}

function encodeSubtree(entries: readonly RangeEntry[], keys: readonly Uint8Array[], from: number, to: number, depth: number): Uint8Array {
  const first = keys[from] as Uint8Array
  if (to - from === 1) return encodeLeaf(first, depth, (entries[from] as RangeEntry).value)
  const shared = depth + commonNibbles(first, depth, keys[to - 1] as Uint8Array, depth)
  if (shared > depth) {
    const child = subtreeReference(entries, keys, from, to, shared, false)
    return encodeNode({ kind: 'extension', nibbles: first.subarray(depth, shared), child })
  }
  const children: (NodeReference | null)[] = new Array<NodeReference | null>(16).fill(null)
  for (let at = from; at < to; ) {
    const nibble = (keys[at] as Uint8Array)[depth] as number
    let end = at + 1
    while (end < to && (keys[end] as Uint8Array)[depth] === nibble) end++
    children[nibble] = subtreeReference(entries, keys, at, end, depth + 1, false)
    at = end
  }
  return encodeNode({ kind: 'branch', children })
}
