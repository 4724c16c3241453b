import { type Bytes20, type Bytes32, type Hash, hexToBytes, type StateDiff } from '@keelson/primitives'
import { type ComputedState, computeState } from './compute-state.ts'
import type { DiskLayer } from './disk/disk-layer.ts'
import { StateError } from './errors.ts'
import type { Hasher } from './hasher.ts'
import { getParentStateRoot } from './history/history-block.ts'
import type { Layer } from './layers/layer.ts'
import type { LayerTree } from './layers/layer-tree.ts'
import { listStorage } from './listing/list-storage.ts'
import { proveAccount } from './proof.ts'
import { findCode, openStateRanges, type StateRanges } from './range/state-ranges.ts'
import { StateReader } from './state-reader.ts'
import type { CanonicalBlock, DumpedSlot, StateBlock, StateProof, StateReads } from './state-store.ts'
import { createSuccessiveRoots, type SuccessiveRoots } from './successive-roots.ts'
import { createWitnessRecorder, type WitnessRecorder } from './witness-recorder.ts'

export abstract class LayeredReads implements StateReads {
  protected readonly hash: Hasher
  protected readonly tree: LayerTree
  protected diskLayer: DiskLayer | null = null

  constructor(tree: LayerTree, hash: Hasher) {
    this.tree = tree
    this.hash = hash
  }

  /** Returns only layers whose ancestors lead to the disk layer. */
  protected abstract findLayer(block: Hash): Layer | undefined

  get disk(): StateBlock | null {
    return this.diskLayer?.block ?? null
  }

  get oldestHistory(): number | null {
    return this.diskLayer?.oldestReadable ?? null
  }

  hasState(block: Hash): boolean {
    return this.diskLayer?.block.hash === block || this.findLayer(block) !== undefined
  }

  viewAt(block: Hash): StateReader | null {
    const layer = this.findLayer(block)
    if (layer !== undefined) return new StateReader(this.tree, this.openedDisk(), layer.number, layer.stateRoot, layer)
    const disk = this.diskLayer
    if (disk?.block.hash !== block) return null
    return new StateReader(this.tree, disk, disk.block.number, hexToBytes(disk.block.stateRoot), null)
  }

  viewAtNumber(number: number): StateReader | null {
    const disk = this.diskLayer
    if (disk === null || number > disk.block.number || number < disk.oldestReadable) return null
    if (number === disk.block.number) return this.viewAt(disk.block.hash)
    return new StateReader(this.tree, disk, number, getParentStateRoot(disk.raw, number + 1), null)
  }

  rootOf(parent: Hash, diff: StateDiff): ComputedState {
    return computeState(this.parentView(parent), diff, this.hash)
  }

  successiveRoots(parent: Hash): SuccessiveRoots {
    return createSuccessiveRoots(this.parentView(parent), this.hash)
  }

  proof(block: Hash, address: Bytes20, slots: readonly Bytes32[]): StateProof | null {
    const view = this.viewAt(block)
    return view === null ? null : proveAccount(view, address, slots, this.hash)
  }

  proofAtNumber(number: number, address: Bytes20, slots: readonly Bytes32[]): StateProof | null {
    const view = this.viewAtNumber(number)
    return view === null ? null : proveAccount(view, address, slots, this.hash)
  }

  listStorage(block: Hash, address: Bytes20, start: Bytes32): Iterable<DumpedSlot> | null {
    const view = this.viewAt(block)
    return view === null ? null : listStorage(view, address, start, this.hash)
  }

  listStorageAtNumber(number: number, address: Bytes20, start: Bytes32): Iterable<DumpedSlot> | null {
    const view = this.viewAtNumber(number)
    return view === null ? null : listStorage(view, address, start, this.hash)
  }

  rangesAt(block: CanonicalBlock): StateRanges | null {
    const view = this.canonicalView(block)
    return view === null ? null : openStateRanges(view.withoutCaching())
  }

  code(codeHash: Bytes32): Uint8Array | null {
    const view = this.diskLayer === null ? null : this.viewAt(this.diskLayer.block.hash)
    return view === null ? null : findCode(view, codeHash)
  }

  recordAt(block: Hash): WitnessRecorder | null {
    const view = this.viewAt(block)
    return view === null ? null : createWitnessRecorder(view, this.hash)
  }

  recordAtNumber(number: number): WitnessRecorder | null {
    const view = this.viewAtNumber(number)
    return view === null ? null : createWitnessRecorder(view, this.hash)
  }

  private canonicalView({ hash, number }: CanonicalBlock): StateReader | null {
    return this.viewAt(hash) ?? this.viewAtNumber(number)
  }

  protected parentView(block: Hash): StateReader {
    const view = this.viewAt(block)
    if (view === null) throw this.unknown(block)
    return view
  }

  protected unknown(block: Hash): StateError {
    const { number, hash } = this.openedDisk().block
    const message = `no state for block ${block}: it is not among the ${this.tree.count} layers above block ${number} (${hash})`
    return new StateError('state/unknown-parent', 'reset', message, { block, disk: number })
  }

  protected openedDisk(): DiskLayer {
    if (this.diskLayer === null) {
      throw new StateError('state/not-initialised', 'critical', 'the store holds no state yet; write the genesis first')
    }
    return this.diskLayer
  }
}
