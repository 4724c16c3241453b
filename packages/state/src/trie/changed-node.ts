import { keccak256 } from '@keelson/primitives'
import { bytesToKey } from '../byte-key.ts'
import { encodeNode, hashReference, isEmbedded, type LeafNode, type NodeReference } from './node.ts'
import type { PackedBranch } from './packed-branch.ts'

export type Child = NodeReference | Node | null
export type Node = LeafNode | OpenBranch | OpenExtension | ChangedBranch

export interface OpenBranch {
  readonly kind: 'branch'
  readonly children: Child[]
}

export interface OpenExtension {
  readonly kind: 'extension'
  readonly nibbles: Uint8Array
  readonly child: NodeReference | Node
}

export interface ChangedBranch {
  readonly kind: 'changed'
  readonly branch: PackedBranch
  readonly children: ReadonlyMap<number, Child>
}

type Encoded = Map<string, Uint8Array | null>

const NIBBLES = Array.from({ length: 16 }, (_, nibble) => String.fromCharCode(nibble))

export function isReference(child: Child): child is NodeReference {
  return child instanceof Uint8Array
}

/** Adds nodes below `path`, children first. */
export function encodeChanges(node: Node, path: string, nodes: Encoded): Uint8Array {
  switch (node.kind) {
    case 'leaf':
      return encodeNode(node)
    case 'extension': {
      const { kind, nibbles, child } = node
      return encodeNode({ kind, nibbles, child: toReference(child, path + bytesToKey(nibbles), nodes) })
    }
    case 'branch': {
      const children = node.children.map((child, nibble) => (child === null ? null : toReference(child, path + NIBBLES[nibble], nodes)))
      return encodeNode({ kind: 'branch', children })
    }
    case 'changed': {
      const references = new Map<number, NodeReference | null>()
      for (const [nibble, child] of node.children) {
        references.set(nibble, child === null ? null : toReference(child, path + NIBBLES[nibble], nodes))
      }
      return node.branch.encode(references)
    }
  }
}

function toReference(child: NodeReference | Node, path: string, nodes: Encoded): NodeReference {
  if (isReference(child)) return child
  const rlp = encodeChanges(child, path, nodes)
  if (isEmbedded(rlp)) return rlp
  nodes.set(path, rlp)
  return hashReference(keccak256(rlp))
}
