/**
 * The state of a chain: recent blocks as a tree of diff layers over one disk layer, and history
 * below it. What `execution` works with; package README, "The three batches".
 */
import type { Account, Address, Bytes20, Bytes32, Hash, StateDiff } from '@keelson/primitives'
import type { KeyValueOp, StateView } from './ports.ts'
import type { SuccessiveRoots } from './successive-roots.ts'
import type { WitnessRecorder } from './witness-recorder.ts'

export interface StateStoreOptions {
  /** Finalized layers beyond this many blocks behind the head are flattened. */
  readonly keepLayers: number
  /** Above this many blocks behind the head layers are flattened even when not finalized. */
  readonly maxLayers: number
  /** As `maxLayers`, in bytes of layer records. */
  readonly maxLayerBytes: number
  /** For values and trie nodes read from disk. */
  readonly cacheBytes: number
  /** How far back values and trie nodes are kept, in blocks; 0 keeps none, Infinity all. */
  readonly historyBlocks: number
  /** As `historyBlocks`, in bytes of history records. */
  readonly historyBytes: number
  /** Layers that one batch moves to disk at most. */
  readonly maxFlattenLayers: number
  /** Records of the history index held in memory. */
  readonly historyCacheBytes: number
}

export interface StateStorePorts {
  /** Awaited every few hundred keys of background work, so that it never holds the thread for long. */
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

/** What one of the caches holds, and its cap. */
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

/** A block's effect on the trie, not yet part of anything. */
export interface ComputedState {
  readonly root: Bytes32
  /** Trie nodes written and removed, packed. */
  readonly nodes: Uint8Array
  /** Of any account after the block, changed or not; null when the account does not exist. */
  storageRoot(address: Bytes20): Bytes32 | null
}

export interface StagedLayer {
  /** To be written in one batch with the block itself (batch A). */
  readonly ops: readonly KeyValueOp[]
  /** Makes the layer visible; call it after the batch was written. Idempotent. */
  publish(): void
}

export interface LayerInput {
  readonly hash: Hash
  readonly parentHash: Hash
  readonly number: number
  readonly diff: StateDiff
  /** From `rootOf(parentHash, diff)`. */
  readonly computed: ComputedState
}

/** A genesis state worked out but not written. */
export interface GenesisState {
  readonly stateRoot: Hash
  /** Null when the alloc does not hold the account. */
  storageRoot(address: Address): Hash | null
  readonly diff: StateDiff
  readonly computed: ComputedState
}

export interface FlattenResult {
  /** Now the disk layer; the one before when only history was pruned. */
  readonly flattened: StateBlock
  /** Layers on branches that can never become canonical any more, now gone. */
  readonly dropped: readonly Hash[]
}

export interface StorageProof {
  readonly slot: Bytes32
  readonly value: Bytes32
  readonly proof: readonly Uint8Array[]
}

/** EIP-1186. For an absent account the proof shows its absence and the fields are those of an empty one. */
export interface StateProof {
  readonly account: Account | null
  readonly accountProof: readonly Uint8Array[]
  readonly storageProofs: readonly StorageProof[]
}

export interface DumpedAccount {
  readonly addressHash: Bytes32
  /** Null when only the hash is known. */
  readonly address: Bytes20 | null
  readonly account: Account
}

export interface DumpedSlot {
  readonly slotHash: Bytes32
  readonly slot: Bytes32 | null
  readonly value: Bytes32
}

/** The part of the state that only reads: of the store as it moves (StateStore), or of one snapshot of it (snapshot-states.ts). */
export interface StateReads {
  /** The state on disk; null before `initGenesis`. */
  readonly disk: StateBlock | null
  /** Whether `viewAt` would answer, without building the view. */
  hasState(block: Hash): boolean
  /** State after a block in the layer tree (the disk layer included); null for any other block. */
  viewAt(block: Hash): StateView | null
  /** State after a canonical block at or below the disk layer, within the history window; null outside of it. */
  viewAtNumber(number: number): StateView | null
  /** The lowest block `viewAtNumber` answers for; null before genesis. */
  readonly oldestHistory: number | null
  /** Root and trie nodes of the parent's state with `diff` applied. Writes nothing. Throws `state/unknown-parent`. */
  rootOf(parent: Hash, diff: StateDiff): ComputedState
  /** Computes the roots of successive states on top of the parent's. Throws `state/unknown-parent`. */
  successiveRoots(parent: Hash): SuccessiveRoots
  /** Null for a block outside the layer tree. */
  proof(block: Hash, address: Bytes20, slots: readonly Bytes32[]): StateProof | null
  /** As `proof`, for a canonical block at or below the disk layer within the history window; null outside of it. */
  proofAtNumber(number: number, address: Bytes20, slots: readonly Bytes32[]): StateProof | null
  /** Like `viewAt`, keeping what is read for a witness. */
  recordAt(block: Hash): WitnessRecorder | null
  /** Like `viewAtNumber`, keeping what is read for a witness. */
  recordAtNumber(number: number): WitnessRecorder | null
}

/** `disk` moves only in `flatten` and `rollback`. */
export interface StateStore extends StateReads {
  /** Layers above the disk layer and the bytes of their records. */
  readonly layerCount: number
  readonly layerBytes: number
  /** Of the history's records, as the limit counts them. */
  readonly historyBytes: number
  /** Of index records in memory. */
  readonly historyCacheUsedBytes: number
  readonly cacheUses: readonly CacheUse[]
  /** Writes the genesis state and makes it the disk layer. Throws `state/already-initialised`. */
  initGenesis(genesis: GenesisState, block: { readonly hash: Hash; readonly number: number }): Promise<void>
  /** Prepares batch A for a block. Throws `state/unknown-parent`. */
  stageLayer(layer: LayerInput): StagedLayer
  /**
   * Writes one batch B if there is anything to do: moves the oldest layers that are ancestors of `head` into the disk
   * layer, as far as they are finalized and more than `keepLayers` deep or the layers exceed their caps. With nothing
   * to move, prunes history that exceeds its limits. Each call is a bounded piece of work; null when nothing is left.
   * Throws `state/unknown-parent` for an unknown head, `state/busy` when already running.
   */
  flatten(head: Hash, finalizedNumber: number): Promise<FlattenResult | null>
  /** Moves the disk layer one block back by means of its history; all layers are dropped. Null when the history does not reach. */
  rollback(): Promise<StateBlock | null>
  /** Drops the layers of all blocks above a number; gives how many. */
  dropAbove(number: number): Promise<number>
  /** Null when the block is outside the layer tree or the account does not exist. */
  storageRoot(block: Hash, address: Bytes20): Bytes32 | null
  /** Accounts in order of their hashed address, from `start` on. Throws `state/stale-view` if the disk layer moves meanwhile. */
  dumpAccounts(block: Hash, start?: Bytes32): AsyncIterable<DumpedAccount>
  /** Slots of one account in order of their hash. */
  dumpStorage(block: Hash, address: Bytes20, start?: Bytes32): AsyncIterable<DumpedSlot>
}
