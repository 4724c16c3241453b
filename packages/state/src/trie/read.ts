import { type Bytes32, EMPTY_TRIE_ROOT_BYTES, equalBytes } from '@keelson/primitives'
import { bytesToKey } from '../byte-key.ts'
import { bytesToNibbles, commonNibbles } from './nibbles.ts'
import { type Child, decodeNode, hashReference, isHashReference, isReference, referenceHash } from './node.ts'
import { getNode, type NodeSource } from './node-source.ts'

export interface TrieProof {
  readonly value: Uint8Array | null
  readonly nodes: readonly Uint8Array[]
}

export function findTrieValue(source: NodeSource, root: Bytes32, key: Uint8Array): Uint8Array | null {
  return proveTrieKey(source, root, key).value
}

export function proveTrieKey(source: NodeSource, root: Bytes32, key: Uint8Array): TrieProof {
  const nibbles = bytesToNibbles(key)
  const nodes: Uint8Array[] = []
  let child: Child = equalBytes(root, EMPTY_TRIE_ROOT_BYTES) ? null : hashReference(root)
  let depth = 0
  while (child !== null && isReference(child)) {
    let rlp: Uint8Array = child
    if (isHashReference(child)) {
      rlp = getNode(source, bytesToKey(nibbles.subarray(0, depth)), referenceHash(child))
      nodes.push(rlp)
    }
    const node = decodeNode(rlp)
    if (node.kind === 'branch') {
      child = node.children[nibbles[depth++] as number] as Child
      continue
    }
    const shared = commonNibbles(nibbles, depth, node.nibbles, 0)
    if (shared < node.nibbles.length) break
    if (node.kind === 'leaf') return { value: node.value, nodes }
    depth += shared
    child = node.child
  }
  return { value: null, nodes }
}

/** The node whose own record is at `path`; null where there is none, or where it is part of its parent. */
export function findTrieNode(source: NodeSource, root: Bytes32, path: Uint8Array): Uint8Array | null {
  let child: Child = equalBytes(root, EMPTY_TRIE_ROOT_BYTES) ? null : hashReference(root)
  let depth = 0
  while (child !== null && isReference(child)) {
    const own: boolean = isHashReference(child)
    const rlp: Uint8Array = own ? getNode(source, bytesToKey(path.subarray(0, depth)), referenceHash(child)) : child
    if (depth === path.length) return own ? rlp : null
    const node = decodeNode(rlp)
    if (node.kind === 'leaf') return null
    if (node.kind === 'branch') {
      child = node.children[path[depth++] as number] as Child
      continue
    }
    if (commonNibbles(path, depth, node.nibbles, 0) < node.nibbles.length) return null
    depth += node.nibbles.length
    child = node.child
  }
  return null
}
