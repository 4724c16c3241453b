import {
  type Account,
  type Bytes20,
  type Bytes32,
  bytesToHex,
  decodeStateDiff,
  EMPTY_CODE_HASH_BYTES,
  encodeStateDiff,
  equalBytes,
  type StateDiff,
} from '@keelson/primitives'
import { decodeTrieAccount } from './account-codec.ts'
import { bytesToKey, keyToBytes } from './byte-key.ts'
import { type ComputedState, computeState, type TrieState } from './compute-state.ts'
import type { Hasher } from './hasher.ts'
import type { StateView } from './ports.ts'
import { decodeTrieSlot, ZERO_SLOT } from './slot-value.ts'
import type { NodeSource } from './trie/node-source.ts'
import { findTrieValue } from './trie/read.ts'

export interface RecordedWitness {
  readonly nodes: readonly Uint8Array[]
  readonly codes: readonly Uint8Array[]
  readonly keys: readonly Uint8Array[]
}

export interface RecordingView extends StateView {
  /** Records a code that the caller did not have to read. */
  usedCode(codeHash: Bytes32): void
}

export interface WitnessRecorder {
  readonly view: RecordingView
  /** Also records nodes for a verifier that applies removals before insertions. */
  rootOf(diff: StateDiff): ComputedState
  witness(): RecordedWitness
}

export function createWitnessRecorder(base: StateView & TrieState, hash: Hasher): WitnessRecorder {
  const nodes = new Map<string, Uint8Array>()
  const codes = new Map<string, Uint8Array>()
  const keys = new Set<string>()
  const accounts = new Map<string, Account | null>()

  const recording = (source: NodeSource): NodeSource => ({
    node(path, nodeHash) {
      const rlp = source.node(path, nodeHash)
      if (rlp !== null) nodes.set(bytesToKey(nodeHash), rlp)
      return rlp
    },
  })
  const accountNodes = recording(base.accountNodes)
  const storageNodes = (addressHash: Bytes32) => recording(base.storageNodes(addressHash))
  const account = (address: Bytes20): Account | null => {
    const key = bytesToKey(address)
    let found = accounts.get(key)
    if (found === undefined) {
      keys.add(key)
      const value = findTrieValue(accountNodes, base.stateRoot, hash(address))
      found = value === null ? null : decodeTrieAccount(value)
      accounts.set(key, found)
    }
    return found
  }
  const code = (codeHash: Bytes32): Uint8Array => {
    const found = base.code(codeHash)
    if (!equalBytes(codeHash, EMPTY_CODE_HASH_BYTES)) codes.set(bytesToHex(codeHash), found)
    return found
  }
  const state: TrieState = { stateRoot: base.stateRoot, accountNodes, storageNodes, account }

  return {
    view: {
      account,
      storage(address, slot) {
        keys.add(bytesToKey(slot))
        const owner = account(address)
        const value = owner === null ? null : findTrieValue(storageNodes(hash(address)), owner.storageRoot, hash(slot))
        return value === null ? ZERO_SLOT : decodeTrieSlot(value)
      },
      code,
      usedCode: (codeHash) => void code(codeHash),
    },
    rootOf(diff) {
      for (const change of decodeStateDiff(diff).accounts) {
        // Records the proof of the previous value even if the account is only written.
        account(change.address)
        for (const [slot] of change.slots) keys.add(bytesToKey(slot))
      }
      computeState(state, removalsOf(diff, account), hash)
      return computeState(state, diff, hash)
    },
    witness: () => ({
      nodes: [...nodes.values()].sort(compareText),
      codes: [...codes.values()].sort(compareText),
      keys: [...keys].sort().map(keyToBytes),
    }),
  }
}

/** Applying removals first may collapse a branch that the net change keeps; collapsing reads the last sibling. */
function removalsOf(diff: StateDiff, account: (address: Bytes20) => Account | null): StateDiff {
  const accounts = decodeStateDiff(diff)
    .accounts.filter((change) => account(change.address) !== null)
    .map((change) => ({ ...change, slots: change.slots.filter(([, value]) => equalBytes(value, ZERO_SLOT)) }))
  return encodeStateDiff({ accounts, codes: [] })
}

function compareText(a: Uint8Array, b: Uint8Array): number {
  const [textA, textB] = [bytesToHex(a), bytesToHex(b)]
  return textA < textB ? -1 : textA > textB ? 1 : 0
}
