/** Layers of recent blocks over one disk layer, with history below (package README). */

import type { Account, Address, Bytes20, Bytes32, Hash, StateDiff } from '@keelson/primitives'
import type { ComputedState } from './compute-state.ts'
import type { Prefetch } from './disk/prefetch.ts'
import type { StateDownload } from './download/state-download.ts'
import type { KeyValueOp, StateView } from './ports.ts'
import type { StateRanges } from './range/state-ranges.ts'
import type { SuccessiveRoots } from './successive-roots.ts'
import type { WitnessRecorder } from './witness-recorder.ts'

export interface StateStoreOptions {
  /** Depth in blocks at which finalized layers are flattened. */
  readonly keepLayers: number
  /** Depth at which any layer is flattened. */
  readonly maxLayers: number
  readonly maxLayerBytes: number
  readonly cacheBytes: number
  /** 0 keeps no history, Infinity keeps all. */
  readonly historyBlocks: number
  readonly historyBytes: number
  readonly maxFlattenLayers: number
  readonly historyCacheBytes: number
}

export interface StateStorePorts {
  readonly breathe: () => Promise<void>
}

export const DEFAULT_STATE_STORE_OPTIONS: StateStoreOptions = {
  keepLayers: 128,
  maxLayers: 1024,
  maxLayerBytes: 256 * 2 ** 20,
  cacheBytes: 64 * 2 ** 20,
  historyBlocks: 302_400,
  historyBytes: 16 * 2 ** 30,
  maxFlattenLayers: 32,
  historyCacheBytes: 16 * 2 ** 20,
}

export interface CacheUse {
  readonly name: string
  readonly bytes: number
  readonly maxBytes: number
}

export interface StateBlock {
  readonly hash: Hash
  readonly number: number
  readonly stateRoot: Hash
}

export interface CanonicalBlock {
  readonly hash: Hash
  readonly number: number
}

export interface StagedLayer {
  /** Write these in one batch with the block (batch A). */
  readonly ops: readonly KeyValueOp[]
  /** Makes the layer visible after the write. Idempotent. */
  publish(): void
}

export interface LayerInput {
  readonly hash: Hash
  readonly parentHash: Hash
  readonly number: number
  readonly diff: StateDiff
  readonly computed: ComputedState
}

export interface GenesisState {
  readonly stateRoot: Hash
  storageRoot(address: Address): Hash | null
  readonly diff: StateDiff
  readonly computed: ComputedState
}

export interface FlattenResult {
  readonly flattened: StateBlock
  readonly dropped: readonly Hash[]
}

export interface StorageProof {
  readonly slot: Bytes32
  readonly value: Bytes32
  readonly proof: readonly Uint8Array[]
}

export interface StateProof {
  readonly account: Account | null
  readonly accountProof: readonly Uint8Array[]
  readonly storageProofs: readonly StorageProof[]
}

export interface DumpedAccount {
  readonly addressHash: Bytes32
  readonly address: Bytes20 | null
  readonly account: Account
}

export interface DumpedSlot {
  readonly slotHash: Bytes32
  readonly slot: Bytes32 | null
  readonly value: Bytes32
}

export interface StateReads {
  readonly disk: StateBlock | null
  hasState(block: Hash): boolean
  /** Null for a block outside the layer tree, to which the disk layer belongs. */
  viewAt(block: Hash): StateView | null
  /** Null unless the block is canonical, at or below the disk layer and within the history window. */
  viewAtNumber(number: number): StateView | null
  /** Lowest block for which `viewAtNumber` returns a view; null before genesis is written. */
  readonly oldestHistory: number | null
  /** Throws `state/unknown-parent`. */
  rootOf(parent: Hash, diff: StateDiff): ComputedState
  successiveRoots(parent: Hash): SuccessiveRoots
  proof(block: Hash, address: Bytes20, slots: readonly Bytes32[]): StateProof | null
  proofAtNumber(number: number, address: Bytes20, slots: readonly Bytes32[]): StateProof | null
  /**
   * Slots of an account from the hash `start` on, in hash order; a slot's name is null when unknown. Null as for `viewAt`. The
   * iterator throws `state/stale-view` when the state is dropped meanwhile.
   */
  listStorage(block: Hash, address: Bytes20, start: Bytes32): Iterable<DumpedSlot> | null
  /** Null as for `viewAtNumber`. */
  listStorageAtNumber(number: number, address: Bytes20, start: Bytes32): Iterable<DumpedSlot> | null
  /** The state in key order, from layers, disk or history. Null as for `viewAt` and `viewAtNumber`. */
  rangesAt(block: CanonicalBlock): StateRanges | null
  /** Null for an unknown code. */
  code(codeHash: Bytes32): Uint8Array | null
  /** Like `viewAt`, but records reads for a witness. */
  recordAt(block: Hash): WitnessRecorder | null
  recordAtNumber(number: number): WitnessRecorder | null
}

/** Only `flatten`, `rollback`, `startDownload` and `download` change `disk`. */
export interface StateStore extends StateReads {
  readonly layerCount: number
  readonly layerBytes: number
  /** True when layers arrive faster than they are flattened: twice the cap of `maxLayers` or `maxLayerBytes`. */
  readonly overfull: boolean
  readonly historyBytes: number
  readonly historyCacheUsedBytes: number
  readonly cacheUses: readonly CacheUse[]
  /** True from the start of a download to its end, during which the store holds no state. */
  readonly downloading: boolean
  /** Drops the state for one that arrives from elsewhere; `ops` are written in the same batch. Throws `state/busy`. */
  startDownload(ops: readonly KeyValueOp[]): Promise<void>
  /** Continues the download, or starts it. Throws `state/busy`. */
  download(): Promise<StateDownload>
  initGenesis(genesis: GenesisState, block: { readonly hash: Hash; readonly number: number }): Promise<void>
  /** Reads accounts and the trie nodes above them into the cache, in another thread. Throws `state/unknown-parent`. */
  prefetch(parent: Hash, addresses: readonly Bytes20[]): Prefetch
  /** Prepares batch A. Throws `state/unknown-parent`. */
  stageLayer(layer: LayerInput): StagedLayer
  /**
   * Moves finalized or excess layers below `head` to disk in one batch, or prunes history. Null when nothing remains to do.
   * Throws `state/unknown-parent`, `state/busy`.
   */
  flatten(head: Hash, finalizedNumber: number): Promise<FlattenResult | null>
  /** Moves the disk layer one block back and drops all layers. Null without history. */
  rollback(): Promise<StateBlock | null>
  dropAbove(number: number): Promise<number>
  storageRoot(block: Hash, address: Bytes20): Bytes32 | null
  /** Lists in hash order. Throws `state/stale-view` if the disk layer moves meanwhile. */
  dumpAccounts(block: Hash, start?: Bytes32): AsyncIterable<DumpedAccount>
  dumpStorage(block: Hash, address: Bytes20, start?: Bytes32): AsyncIterable<DumpedSlot>
}
