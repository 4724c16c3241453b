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

/** Keys are keccak256 hashes in lower-case hex with 0x. */
export type Preimages = ReadonlyMap<string, Uint8Array>

export interface WitnessRoot {
  readonly root: Bytes32
  storageRoot(address: Bytes20): Bytes32 | null
}

export interface WitnessState {
  /** Throws `state/missing-node` or `state/missing-code`. */
  readonly view: StateView
  rootOf(diff: StateDiff): WitnessRoot
}

/** The caller must have verified the hashes of the preimages. */
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
