import { keccak256Into } from '@keelson/primitives'
import { bytesToKey } from '../byte-key.ts'
import { encodeLeaf, encodeNode, isEmbedded, type LeafNode, type NodeReference } from './node.ts'

export type Child = NodeReference | Node | null
export type Node = LeafNode | OpenBranch | OpenExtension | EncodedBranch

export interface OpenBranch {
  readonly kind: 'branch'
  readonly children: Child[]
}

export interface OpenExtension {
  readonly kind: 'extension'
  readonly nibbles: Uint8Array
  readonly child: NodeReference | Node
}

/** A changed branch whose children are encoded already. */
export interface EncodedBranch {
  readonly kind: 'encoded'
  readonly rlp: Uint8Array
}

type Encoded = Map<string, Uint8Array | null>

export const NIBBLES: readonly string[] = Array.from({ length: 16 }, (_, nibble) => String.fromCharCode(nibble))

export function isReference(child: Child): child is NodeReference {
  return child instanceof Uint8Array
}

/** Adds nodes below `path`, children first. */
export function encodeChanged(node: Node, path: string, nodes: Encoded): Uint8Array {
  switch (node.kind) {
    case 'encoded':
      return node.rlp
    case 'leaf':
      return encodeLeaf(node.nibbles, 0, node.value)
    case 'extension': {
      const { kind, nibbles, child } = node
      return encodeNode({ kind, nibbles, child: toReference(child, path + bytesToKey(nibbles), nodes) })
    }
    case 'branch': {
      const children = node.children.map((child, nibble) => (child === null ? null : toReference(child, path + NIBBLES[nibble], nodes)))
      return encodeNode({ kind: 'branch', children })
    }
  }
}

export function toReference(child: NodeReference | Node, path: string, nodes: Encoded): NodeReference {
  if (isReference(child)) return child
  const rlp = encodeChanged(child, path, nodes)
  if (isEmbedded(rlp)) return rlp
  nodes.set(path, rlp)
  const reference = new Uint8Array(33)
  reference[0] = 0xa0
  keccak256Into(rlp, reference, 1)
  return reference
}
