/**
 * A state known only through trie nodes and code by their hash, as a witness carries them: enough to
 * execute one block and to compute its state root.
 */
import type { Bytes20, Bytes32, StateDiff } from '@keelson/primitives'
import type { StateView } from './ports.ts'

/** Preimages by keccak hash, lower-case hex with 0x. */
export type Preimages = ReadonlyMap<string, Uint8Array>

export interface WitnessRoot {
  readonly root: Bytes32
  /** Of any account after the block; null when the account does not exist. */
  storageRoot(address: Bytes20): Bytes32 | null
}

export interface WitnessState {
  readonly view: StateView
  /** Root of the state with `diff` applied. Throws `state/missing-node` when the witness is too small. */
  rootOf(diff: StateDiff): WitnessRoot
}

export declare function createWitnessState(preimages: Preimages, stateRoot: Bytes32): WitnessState
