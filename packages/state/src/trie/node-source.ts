/** A store finds nodes by path, a witness by hash. */
import { type Bytes32, bytesToHex } from '@keelson/primitives'
import { StateError } from '../errors.ts'

/** One character per nibble. */
export type NodePath = string

export interface NodeSource {
  /** A `guess` whose hash matches may replace a read. */
  node(path: NodePath, hash: Bytes32, guess?: NodeGuess): Uint8Array | null
}

export type NodeGuess = () => Uint8Array | null

export const EMPTY_NODE_SOURCE: NodeSource = { node: () => null }

export function getNode(source: NodeSource, path: NodePath, hash: Bytes32, guess?: NodeGuess): Uint8Array {
  const rlp = source.node(path, hash, guess)
  if (rlp === null) {
    const nibbles = Array.from(path, (nibble) => nibble.charCodeAt(0).toString(16)).join('')
    throw new StateError('state/missing-node', 'critical', `no trie node ${bytesToHex(hash)} at path "${nibbles}"`, {
      path: nibbles,
      hash: bytesToHex(hash),
    })
  }
  return rlp
}
