import {
  type Account,
  type AccountChange,
  type Bytes20,
  type Bytes32,
  decodeStateDiff,
  EMPTY_TRIE_ROOT_BYTES,
  type StateChanges,
  type StateDiff,
} from '@keelson/primitives'
import { encodeTrieAccount } from './account-codec.ts'
import { ACCOUNT_NODE_PREFIX, storageNodePrefix } from './buckets.ts'
import { bytesToKey } from './byte-key.ts'
import type { Hasher } from './hasher.ts'
import { encodeTrieSlot, ZERO_SLOT } from './slot-value.ts'
import { type NodeChanges, type PackedNodes, packNodeChanges } from './trie/node-changes.ts'
import { EMPTY_NODE_SOURCE, type NodeSource } from './trie/node-source.ts'
import { type TrieWrite, updateTrie } from './trie/update.ts'

export interface ComputedState {
  readonly root: Bytes32
  readonly changes: StateChanges
  /** Packed by trie/node-changes.ts. */
  readonly nodes: Uint8Array
  /** Views into `nodes`. */
  readonly nodeChanges: NodeChanges
  storageRoot(address: Bytes20): Bytes32 | null
}

export interface TrieState {
  readonly stateRoot: Bytes32
  readonly accountNodes: NodeSource
  storageNodes(addressHash: Bytes32): NodeSource
  account(address: Bytes20): Account | null
  /** If present, storage leaves need not be read. */
  storage?(address: Bytes20, slot: Bytes32): Bytes32
}

export const EMPTY_TRIE_STATE: TrieState = {
  stateRoot: EMPTY_TRIE_ROOT_BYTES,
  accountNodes: EMPTY_NODE_SOURCE,
  storageNodes: () => EMPTY_NODE_SOURCE,
  account: () => null,
}

export interface ComputedChanges {
  readonly accounts: readonly AccountChange[]
  /** Null for deleted nodes. */
  readonly nodes: ReadonlyMap<string, Uint8Array | null>
  readonly state: ComputedState
}

export function computeState(before: TrieState, diff: StateDiff, hash: Hasher): ComputedState {
  return computeChanges(before, diff, hash).state
}

export function computeChanges(before: TrieState, diff: StateDiff, hash: Hasher): ComputedChanges {
  const decoded = decodeStateDiff(diff)
  const { accounts } = decoded
  const nodes = new Map<string, Uint8Array | null>()
  const storageRoots = new Map<string, Bytes32 | null>()
  const accountWrites: TrieWrite[] = []
  const accountBefore = (address: Bytes20) => {
    const account = before.account(address)
    return account === null ? null : encodeTrieAccount(account)
  }
  for (const change of accounts) {
    const addressHash = hash(change.address)
    if (change.deleted) {
      storageRoots.set(bytesToKey(change.address), null)
      accountWrites.push({ key: addressHash, value: null, before: () => accountBefore(change.address) })
      continue
    }
    const storageRoot = updateStorage(before, change, addressHash, hash, nodes)
    storageRoots.set(bytesToKey(change.address), storageRoot)
    const { nonce, balanceWei, codeHash } = change
    accountWrites.push({
      key: addressHash,
      value: encodeTrieAccount({ nonce, balanceWei, storageRoot, codeHash }),
      before: () => accountBefore(change.address),
    })
  }
  const update = updateTrie(before.accountNodes, before.stateRoot, accountWrites, ACCOUNT_NODE_PREFIX)
  for (const [key, rlp] of update.nodes) nodes.set(key, rlp)
  let packed: PackedNodes | null = null
  const pack = () => (packed ??= packNodeChanges(nodes))
  const state: ComputedState = {
    root: update.root,
    changes: decoded,
    get nodes() {
      return pack().packed
    },
    get nodeChanges() {
      return pack().views
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
  // The layer hides all nodes of reset storage.
  const root = change.storageReset ? EMPTY_TRIE_ROOT_BYTES : (before.account(change.address)?.storageRoot ?? EMPTY_TRIE_ROOT_BYTES)
  if (change.slots.length === 0) return root
  const source = change.storageReset ? EMPTY_NODE_SOURCE : before.storageNodes(addressHash)
  const writes = change.slots.map(([slot, value]): TrieWrite => {
    const write = { key: hash(slot), value: encodeTrieSlot(value) }
    const { address } = change
    return before.storage === undefined ? write : { ...write, before: () => encodeTrieSlot(before.storage?.(address, slot) ?? ZERO_SLOT) }
  })
  const update = updateTrie(source, root, writes, storageNodePrefix(addressHash))
  for (const [key, rlp] of update.nodes) nodes.set(key, rlp)
  return update.root
}
