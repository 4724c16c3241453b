import { type Bytes32, EMPTY_TRIE_ROOT_BYTES, equalBytes } from '@keelson/primitives'
import { bytesToKey } from '../byte-key.ts'
import { bytesToNibbles, nibblesToBytes } from './nibbles.ts'
import { type Child, decodeNode, hashReference, isHashReference, isReference, referenceHash } from './node.ts'
import { getNode, type NodeSource } from './node-source.ts'

export interface TrieEntry {
  readonly key: Bytes32
  readonly value: Uint8Array
}

/** Yields the entries from the key `start` on, in the order of their keys. Throws `state/missing-node`. */
export function* trieEntries(source: NodeSource, root: Bytes32, start: Bytes32): Generator<TrieEntry> {
  if (equalBytes(root, EMPTY_TRIE_ROOT_BYTES)) return
  yield* entriesBelow(source, hashReference(root), new Uint8Array(0), bytesToNibbles(start))
}

function* entriesBelow(source: NodeSource, child: Child, path: Uint8Array, start: Uint8Array): Generator<TrieEntry> {
  if (!isReference(child) || endsBefore(path, start)) return
  const rlp = isHashReference(child) ? getNode(source, bytesToKey(path), referenceHash(child)) : child
  const node = decodeNode(rlp)
  if (node.kind === 'branch') {
    for (const [nibble, next] of node.children.entries()) yield* entriesBelow(source, next, join(path, Uint8Array.of(nibble)), start)
    return
  }
  const longer = join(path, node.nibbles)
  if (node.kind === 'extension') yield* entriesBelow(source, node.child, longer, start)
  else if (!endsBefore(longer, start)) yield { key: nibblesToBytes(longer), value: node.value }
}

/** True if every key below `path` is less than `start`. */
function endsBefore(path: Uint8Array, start: Uint8Array): boolean {
  for (let i = 0; i < path.length; i++) {
    const difference = (path[i] as number) - (start[i] as number)
    if (difference !== 0) return difference < 0
  }
  return false
}

function join(a: Uint8Array, b: Uint8Array): Uint8Array {
  const out = new Uint8Array(a.length + b.length)
  out.set(a)
  out.set(b, a.length)
  return out
}
