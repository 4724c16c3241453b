import { type Bytes20, type Bytes32, EMPTY_TRIE_ROOT_BYTES } from '@keelson/primitives'
import { decodeTrieAccount } from './account-codec.ts'
import type { TrieState } from './compute-state.ts'
import type { Hasher } from './hasher.ts'
import { decodeTrieSlot, ZERO_SLOT } from './slot-value.ts'
import type { StateProof, StorageProof } from './state-store.ts'
import { proveTrieKey } from './trie/read.ts'

/** Reads from the trie, so that values match the proven nodes. */
export function proveAccount(state: TrieState, address: Bytes20, slots: readonly Bytes32[], hash: Hasher): StateProof {
  const addressHash = hash(address)
  const { value, nodes } = proveTrieKey(state.accountNodes, state.stateRoot, addressHash)
  const account = value === null ? null : decodeTrieAccount(value)
  const storageNodes = state.storageNodes(addressHash)
  const storageRoot = account?.storageRoot ?? EMPTY_TRIE_ROOT_BYTES
  const storageProofs = slots.map((slot): StorageProof => {
    const proof = proveTrieKey(storageNodes, storageRoot, hash(slot))
    return { slot, value: proof.value === null ? ZERO_SLOT : decodeTrieSlot(proof.value), proof: proof.nodes }
  })
  return { account, accountProof: nodes, storageProofs }
}
