/**
 * A state known only through trie nodes and code by their hash, as a witness carries them: enough to
 * execute one block and to compute its state root.
 */
import {
  type Account,
  type Bytes20,
  type Bytes32,
  bytesToHex,
  EMPTY_BYTES,
  EMPTY_CODE_HASH_BYTES,
  equalBytes,
  type StateDiff,
} from '@keelson/primitives'
import { decodeTrieAccount } from './account-codec.ts'
import { computeState, type TrieState } from './compute-state.ts'
import { StateError } from './errors.ts'
import { createHasher } from './hasher.ts'
import type { StateView } from './ports.ts'
import { decodeTrieSlot, ZERO_SLOT } from './slot-value.ts'
import type { NodeSource } from './trie/node-source.ts'
import { findTrieValue } from './trie/read.ts'

/** Preimages by keccak hash, lower-case hex with 0x. */
export type Preimages = ReadonlyMap<string, Uint8Array>

export interface WitnessRoot {
  readonly root: Bytes32
  /** Of any account after the block; null when the account does not exist. */
  storageRoot(address: Bytes20): Bytes32 | null
}

export interface WitnessState {
  /** Throws StateError `state/missing-node` or `state/missing-code` for what the witness does not hold. */
  readonly view: StateView
  /** Root of the state with `diff` applied. Throws `state/missing-node` when the witness is too small. */
  rootOf(diff: StateDiff): WitnessRoot
}

/** The preimages are taken at their word; who does not trust them hashes them first. */
export function createWitnessState(preimages: Preimages, stateRoot: Bytes32): WitnessState {
  const hash = createHasher()
  const source: NodeSource = { node: (_path, nodeHash) => preimages.get(bytesToHex(nodeHash)) ?? null }
  const account = (address: Bytes20): Account | null => {
    const value = findTrieValue(source, stateRoot, hash(address))
    return value === null ? null : decodeTrieAccount(value)
  }
  const state: TrieState = { stateRoot, accountNodes: source, storageNodes: () => source, account }
  return {
    view: {
      account,
      storage(address, slot) {
        const owner = account(address)
        const value = owner === null ? null : findTrieValue(source, owner.storageRoot, hash(slot))
        return value === null ? ZERO_SLOT : decodeTrieSlot(value)
      },
      code(codeHash) {
        if (equalBytes(codeHash, EMPTY_CODE_HASH_BYTES)) return EMPTY_BYTES
        const code = preimages.get(bytesToHex(codeHash))
        if (code === undefined) {
          throw new StateError('state/missing-code', 'critical', `the witness holds no code ${bytesToHex(codeHash)}`)
        }
        return code
      },
    },
    rootOf: (diff) => computeState(state, diff, hash),
  }
}
