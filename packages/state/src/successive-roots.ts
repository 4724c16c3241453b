import type { Account, Bytes20, Bytes32, StateDiff } from '@keelson/primitives'
import { ACCOUNT_NODE_PREFIX, storageNodePrefix } from './buckets.ts'
import { bytesToKey } from './byte-key.ts'
import { type ComputedState, computeChanges, type TrieState } from './compute-state.ts'
import type { Hasher } from './hasher.ts'
import type { NodeSource } from './trie/node-source.ts'

export interface SuccessiveRoots {
  /** Read storage roots before the next call. */
  next(diff: StateDiff): ComputedState
}

type Nodes = Map<string, Uint8Array | null>

export function createSuccessiveRoots(base: TrieState, hash: Hasher): SuccessiveRoots {
  const accounts = new Map<string, Account | null>()
  const tries = new Map<string, Nodes>()
  const wiped = new Set<string>()
  let stateRoot = base.stateRoot

  const sourceOf = (prefix: string, below: () => NodeSource): NodeSource => ({
    node(path, nodeHash, guess) {
      const changed = tries.get(prefix)?.get(path)
      if (changed !== undefined) return changed
      return wiped.has(prefix) ? null : below().node(path, nodeHash, guess)
    },
  })
  const current: TrieState = {
    get stateRoot() {
      return stateRoot
    },
    accountNodes: sourceOf(ACCOUNT_NODE_PREFIX, () => base.accountNodes),
    storageNodes(addressHash) {
      let below: NodeSource | null = null
      return sourceOf(storageNodePrefix(addressHash), () => (below ??= base.storageNodes(addressHash)))
    },
    account(address: Bytes20) {
      const changed = accounts.get(bytesToKey(address))
      return changed === undefined ? base.account(address) : changed
    },
  }

  return {
    next(diff) {
      const changes = computeChanges(current, diff, hash)
      for (const { address, deleted, storageReset, nonce, balanceWei, codeHash } of changes.accounts) {
        if (deleted || storageReset) {
          const prefix = storageNodePrefix(hash(address))
          wiped.add(prefix)
          tries.delete(prefix)
        }
        const storageRoot = changes.state.storageRoot(address) as Bytes32
        accounts.set(bytesToKey(address), deleted ? null : { nonce, balanceWei, codeHash, storageRoot })
      }
      for (const [key, rlp] of changes.nodes) {
        const prefix = key.startsWith(ACCOUNT_NODE_PREFIX) ? ACCOUNT_NODE_PREFIX : key.slice(0, STORAGE_PREFIX_LENGTH)
        const nodes = tries.get(prefix) ?? new Map<string, Uint8Array | null>()
        nodes.set(key.slice(prefix.length), rlp)
        tries.set(prefix, nodes)
      }
      stateRoot = changes.state.root
      return changes.state
    },
  }
}

const STORAGE_PREFIX_LENGTH = storageNodePrefix(new Uint8Array(32)).length
