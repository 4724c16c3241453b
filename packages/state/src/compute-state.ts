/**
 * From the changes of a block to its state root: the storage tries of the changed accounts, then the
 * account trie, each in one batch. Works on any source of nodes: layers, an empty state, a witness.
 */
import {
  type Account,
  type AccountChange,
  type Bytes20,
  type Bytes32,
  decodeStateDiff,
  EMPTY_TRIE_ROOT_BYTES,
  type StateDiff,
} from '@keelson/primitives'
import { encodeTrieAccount } from './account-codec.ts'
import { ACCOUNT_NODE_PREFIX, storageNodePrefix } from './buckets.ts'
import { bytesToKey } from './byte-key.ts'
import type { Hasher } from './hasher.ts'
import { encodeTrieSlot } from './slot-value.ts'
import type { ComputedState } from './state-store.ts'
import { encodeNodeChanges } from './trie/node-changes.ts'
import { EMPTY_NODE_SOURCE, type NodeSource } from './trie/node-source.ts'
import { type TrieWrite, updateTrie } from './trie/update.ts'

/** A state to compute from. */
export interface TrieState {
  readonly stateRoot: Bytes32
  readonly accountNodes: NodeSource
  storageNodes(addressHash: Bytes32): NodeSource
  /** Null when there is no such account. */
  account(address: Bytes20): Account | null
}

export const EMPTY_TRIE_STATE: TrieState = {
  stateRoot: EMPTY_TRIE_ROOT_BYTES,
  accountNodes: EMPTY_NODE_SOURCE,
  storageNodes: () => EMPTY_NODE_SOURCE,
  account: () => null,
}

/** A computed state and the changes that led to it. */
export interface ComputedChanges {
  readonly accounts: readonly AccountChange[]
  /** Trie nodes by store key; null for deleted nodes. */
  readonly nodes: ReadonlyMap<string, Uint8Array | null>
  readonly state: ComputedState
}

/** Writes nothing. Throws StateError `state/missing-node` and CodecError `codec/state-diff`. */
export function computeState(before: TrieState, diff: StateDiff, hash: Hasher): ComputedState {
  return computeChanges(before, diff, hash).state
}

/** Same as `computeState`, with the changed parts. */
export function computeChanges(before: TrieState, diff: StateDiff, hash: Hasher): ComputedChanges {
  const { accounts } = decodeStateDiff(diff)
  const nodes = new Map<string, Uint8Array | null>()
  const storageRoots = new Map<string, Bytes32 | null>()
  const accountWrites: TrieWrite[] = []
  for (const change of accounts) {
    const addressHash = hash(change.address)
    if (change.deleted) {
      storageRoots.set(bytesToKey(change.address), null)
      accountWrites.push({ key: addressHash, value: null })
      continue
    }
    const storageRoot = updateStorage(before, change, addressHash, hash, nodes)
    storageRoots.set(bytesToKey(change.address), storageRoot)
    const { nonce, balanceWei, codeHash } = change
    accountWrites.push({ key: addressHash, value: encodeTrieAccount({ nonce, balanceWei, storageRoot, codeHash }) })
  }
  const update = updateTrie(before.accountNodes, before.stateRoot, accountWrites)
  for (const [path, rlp] of update.nodes) nodes.set(ACCOUNT_NODE_PREFIX + path, rlp)
  let packed: Uint8Array | null = null
  const state: ComputedState = {
    root: update.root,
    get nodes() {
      packed ??= encodeNodeChanges(nodes)
      return packed
    },
    storageRoot(address) {
      const changed = storageRoots.get(bytesToKey(address))
      return changed !== undefined ? changed : (before.account(address)?.storageRoot ?? null)
    },
  }
  return { accounts, nodes, state }
}

function updateStorage(
  before: TrieState,
  change: AccountChange,
  addressHash: Bytes32,
  hash: Hasher,
  nodes: Map<string, Uint8Array | null>,
): Bytes32 {
  // The old nodes of storage that was reset are not listed here: a layer that resets storage hides them all.
  const root = change.storageReset ? EMPTY_TRIE_ROOT_BYTES : (before.account(change.address)?.storageRoot ?? EMPTY_TRIE_ROOT_BYTES)
  if (change.slots.length === 0) return root
  const source = change.storageReset ? EMPTY_NODE_SOURCE : before.storageNodes(addressHash)
  const writes = change.slots.map(([slot, value]) => ({ key: hash(slot), value: encodeTrieSlot(value) }))
  const update = updateTrie(source, root, writes)
  const prefix = storageNodePrefix(addressHash)
  for (const [path, rlp] of update.nodes) nodes.set(prefix + path, rlp)
  return update.root
}
