/** Compares a node of the wanted trie with the trie in the tables, where every key below an equal node is equal. */
import { type Bytes32, equalBytes, keccak256 } from '@keelson/primitives'
import {
  type Child,
  decodeNode,
  isHashReference,
  isReference,
  joinNibbles,
  type NodeSource,
  nibblesToBytes,
  type RangeEntry,
  referenceHash,
  trieEntries,
} from '@keelson/state'

export interface LocalTrie {
  readonly source: NodeSource
  readonly root: Bytes32
}

export interface WantedNode {
  readonly path: Uint8Array
  readonly hash: Bytes32
}

export interface NodeDiff {
  /** Nodes below that the tables lack. */
  readonly missing: readonly WantedNode[]
  readonly put: readonly RangeEntry[]
  readonly deleted: readonly Bytes32[]
}

const KEY_NIBBLES = 64

export function isStored({ source }: LocalTrie, { path, hash }: WantedNode): boolean {
  const rlp = source.node(pathKey(path), hash)
  return rlp !== null && equalBytes(keccak256(rlp), hash)
}

/** The node has been checked against its hash. Throws StateError `state/bad-node`. */
export function diffNode(local: LocalTrie, path: Uint8Array, rlp: Uint8Array): NodeDiff {
  const diff = { missing: [] as WantedNode[], put: [] as RangeEntry[], deleted: [] as Bytes32[] }
  compare(local, path, rlp, diff)
  return diff
}

interface OpenDiff {
  readonly missing: WantedNode[]
  readonly put: RangeEntry[]
  readonly deleted: Bytes32[]
}

function compare(local: LocalTrie, path: Uint8Array, rlp: Uint8Array, diff: OpenDiff): void {
  const node = decodeNode(rlp)
  if (node.kind === 'branch') {
    const stored = storedChildren(local, path)
    for (const [nibble, child] of node.children.entries()) {
      const known = stored?.[nibble]
      if (known !== undefined && isSame(known, child)) continue
      const below = joinNibbles(path, nibble)
      if (child === null) diff.deleted.push(...keysBelow(local, below))
      else compareChild(local, below, child, diff)
    }
    return
  }
  const below = joinNibbles(path, node.nibbles)
  for (const key of keysBelow(local, path)) if (!startsWith(key, below)) diff.deleted.push(key)
  if (node.kind === 'extension') compareChild(local, below, node.child, diff)
  else if (below.length === KEY_NIBBLES) diff.put.push({ key: nibblesToBytes(below), value: node.value })
}

/** Null if the tables hold no branch of its own at this path. */
function storedChildren({ source, root }: LocalTrie, path: Uint8Array): readonly Child[] | null {
  const rlp = source.node(pathKey(path), root)
  const node = rlp === null ? null : decodeNode(rlp)
  return node?.kind === 'branch' ? node.children : null
}

function isSame(known: Child, child: Child): boolean {
  if (known === null || child === null) return known === child
  return isReference(known) && isReference(child) && equalBytes(known, child)
}

function compareChild(local: LocalTrie, path: Uint8Array, child: Child, diff: OpenDiff): void {
  if (!isReference(child)) return
  if (!isHashReference(child)) {
    compare(local, path, child, diff)
    return
  }
  const wanted = { path, hash: referenceHash(child) }
  if (!isStored(local, wanted)) diff.missing.push(wanted)
}

export function* keysBelow({ source, root }: LocalTrie, path: Uint8Array): Generator<Bytes32> {
  const start = new Uint8Array(KEY_NIBBLES)
  start.set(path)
  for (const { key } of trieEntries(source, root, nibblesToBytes(start))) {
    if (!startsWith(key, path)) return
    yield key
  }
}

function startsWith(key: Bytes32, path: Uint8Array): boolean {
  for (let i = 0; i < path.length; i++) {
    const byte = key[i >> 1] as number
    if ((i % 2 === 0 ? byte >> 4 : byte & 15) !== path[i]) return false
  }
  return true
}

function pathKey(path: Uint8Array): string {
  return String.fromCharCode(...path)
}
