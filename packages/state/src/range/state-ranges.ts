/** One state in key order, as snap/1 serves it. Throws `state/stale-view` when the state is dropped meanwhile. */
import { type Bytes32, EMPTY_CODE_HASH_BYTES, equalBytes } from '@keelson/primitives'
import { decodeTrieAccount, encodeFlatAccount } from '../account-codec.ts'
import { StateError } from '../errors.ts'
import type { StateReader } from '../state-reader.ts'
import { trieEntries } from '../trie/entries.ts'
import type { NodeSource } from '../trie/node-source.ts'
import { findTrieNode, findTrieValue } from '../trie/read.ts'
import { proveRange } from './prove-range.ts'
import type { RangeEntry } from './range-entry.ts'

export interface TrieRanges {
  readonly root: Bytes32
  /** The entries from `origin` on. */
  entries(origin: Bytes32): Iterable<RangeEntry>
  prove(origin: Bytes32, last: Bytes32 | null): Uint8Array[]
  /** The node with its own record at this path of nibbles. */
  node(path: Uint8Array): Uint8Array | null
}

export interface StateRanges {
  readonly accounts: TrieRanges
  /** Null for an unknown account. */
  storage(addressHash: Bytes32): TrieRanges | null
}

export function openStateRanges(view: StateReader): StateRanges {
  return {
    accounts: rangesOf(view.accountNodes, view.stateRoot),
    storage(addressHash) {
      const account = findTrieValue(view.accountNodes, view.stateRoot, addressHash)
      return account === null ? null : rangesOf(view.storageNodes(addressHash), decodeTrieAccount(account).storageRoot)
    },
  }
}

function rangesOf(source: NodeSource, root: Bytes32): TrieRanges {
  return {
    root,
    entries: (origin) => trieEntries(source, root, origin),
    prove: (origin, last) => proveRange(source, root, origin, last),
    node: (path) => findTrieNode(source, root, path),
  }
}

/** From a leaf of the account trie to the form of snap/1, which omits the hashes of empty storage and empty code. */
export function slimAccount(leaf: Uint8Array): Uint8Array {
  return encodeFlatAccount(decodeTrieAccount(leaf))
}

/** Null for a code that no account has had. */
export function findCode(view: Pick<StateReader, 'code'>, codeHash: Bytes32): Uint8Array | null {
  if (equalBytes(codeHash, EMPTY_CODE_HASH_BYTES)) return new Uint8Array(0)
  try {
    return view.code(codeHash)
  } catch (error) {
    if (error instanceof StateError && error.code === 'state/missing-code') return null
    throw error
  }
}
