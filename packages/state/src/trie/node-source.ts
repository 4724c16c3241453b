/**
 * Where an update or a read finds the nodes of one trie. A store keyed by path looks at the path
 * alone, a witness at the hash alone; both are given.
 */
import { type Bytes32, bytesToHex } from '@keelson/primitives'
import { StateError } from '../errors.ts'

export interface NodeSource {
  /** RLP of the node at `path` (nibbles from the root); null when there is none. */
  node(path: Uint8Array, hash: Bytes32): Uint8Array | null
}

export const EMPTY_NODE_SOURCE: NodeSource = { node: () => null }

/** Throws StateError `state/missing-node`. */
export function getNode(source: NodeSource, path: Uint8Array, hash: Bytes32): Uint8Array {
  const rlp = source.node(path, hash)
  if (rlp === null) {
    const nibbles = Array.from(path, (nibble) => nibble.toString(16)).join('')
    throw new StateError('state/missing-node', 'critical', `no trie node ${bytesToHex(hash)} at path "${nibbles}"`, {
      path: nibbles,
      hash: bytesToHex(hash),
    })
  }
  return rlp
}
