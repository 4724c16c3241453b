/** Opens the state store over a key-value store and recovers the layers. */
import { type Bytes20, type Bytes32, type Hash, hexToBytes, type StateDiff } from '@keelson/primitives'
import { BUCKETS, bucketKey, META_DISK, META_HISTORY, metaKey, prefixRange } from './buckets.ts'
import { computeState } from './compute-state.ts'
import { DiskLayer } from './disk/disk-layer.ts'
import { decodeDiskMarker } from './disk/disk-marker.ts'
import { prepareFlatten } from './disk/flatten.ts'
import { prepareRollback } from './disk/rollback.ts'
import { writeGenesis } from './disk/write-genesis.ts'
import { type DumpSource, dumpAccounts, dumpStorage } from './dump.ts'
import { StateError } from './errors.ts'
import { createHasher } from './hasher.ts'
import { decodeHistoryBounds } from './history/history-block.ts'
import { getParentStateRoot } from './history/record-history.ts'
import { type Layer, openLayer } from './layers/layer.ts'
import { encodeLayerRecord } from './layers/layer-record.ts'
import { LayerTree } from './layers/layer-tree.ts'
import type { KeyValueOp, KeyValueStore } from './ports.ts'
import { proveAccount } from './proof.ts'
import { StateReader } from './state-reader.ts'
import {
  type ComputedState,
  DEFAULT_STATE_STORE_OPTIONS,
  type DumpedAccount,
  type DumpedSlot,
  type FlattenResult,
  type GenesisState,
  type LayerInput,
  type StagedLayer,
  type StateBlock,
  type StateProof,
  type StateStore,
  type StateStoreOptions,
} from './state-store.ts'

/** Recovers the layers written by batch A; no block is executed again. Throws `state/corrupt-record`. */
export async function openStateStore(store: KeyValueStore, options: Partial<StateStoreOptions> = {}): Promise<StateStore> {
  const state = new LayeredStateStore(store, { ...DEFAULT_STATE_STORE_OPTIONS, ...options })
  await state.recover()
  return state
}

class LayeredStateStore implements StateStore {
  private readonly store: KeyValueStore
  private readonly options: StateStoreOptions
  private readonly hash = createHasher()
  private readonly tree = new LayerTree()
  private diskLayer: DiskLayer | null = null
  private moving = false

  constructor(store: KeyValueStore, options: StateStoreOptions) {
    this.store = store
    this.options = options
  }

  /** Layer records that reach the disk layer through their parents come back; the others are of dead branches and go. */
  async recover(): Promise<void> {
    const marker = this.store.getSync(metaKey(META_DISK))
    if (marker === null) return
    const bounds = this.store.getSync(metaKey(META_HISTORY))
    const disk = this.openDisk(decodeDiskMarker(marker), bounds)
    const { from, to } = prefixRange(Uint8Array.of(BUCKETS.layer))
    const found: Layer[] = []
    for await (const [, record] of this.store.range(from, to)) found.push(openLayer(record, this.hash))
    const dead: KeyValueOp[] = []
    for (const layer of found.sort((a, b) => a.number - b.number)) {
      if (layer.parentHash === disk.block.hash || this.tree.get(layer.parentHash) !== undefined) this.tree.add(layer)
      else dead.push({ del: bucketKey(BUCKETS.layer, hexToBytes(layer.hash)) })
    }
    if (dead.length > 0) await this.store.batch(dead)
  }

  get disk(): StateBlock | null {
    return this.diskLayer?.block ?? null
  }

  get layerCount(): number {
    return this.tree.count
  }

  get layerBytes(): number {
    return this.tree.bytes
  }

  get oldestHistory(): number | null {
    return this.diskLayer?.oldestReadable ?? null
  }

  async initGenesis(genesis: GenesisState, block: { readonly hash: Hash; readonly number: number }): Promise<void> {
    if (this.diskLayer !== null) {
      throw new StateError(
        'state/already-initialised',
        'critical',
        `the store holds the state of block ${this.diskLayer.block.hash} already`,
      )
    }
    await this.exclusively(() => writeGenesis(this.store, genesis, block, this.hash))
    this.openDisk({ ...block, stateRoot: genesis.stateRoot }, null)
  }

  hasState(block: Hash): boolean {
    return this.tree.get(block) !== undefined || this.diskLayer?.block.hash === block
  }

  viewAt(block: Hash): StateReader | null {
    const layer = this.tree.get(block)
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

  stageLayer(input: LayerInput): StagedLayer {
    this.assertState(input.parentHash)
    if (this.hasState(input.hash)) return { ops: [], publish: () => undefined }
    const record = encodeLayerRecord(input)
    const layer = openLayer(record, this.hash)
    return {
      ops: [{ put: bucketKey(BUCKETS.layer, hexToBytes(input.hash)), value: record }],
      publish: () => {
        if (this.hasState(input.hash)) return
        this.assertState(input.parentHash)
        this.tree.add(layer)
      },
    }
  }

  async flatten(head: Hash, finalizedNumber: number): Promise<FlattenResult | null> {
    const disk = this.openedDisk()
    const base = this.oldestAncestor(head)
    if (base === null) return null
    const depth = (this.tree.get(head) as Layer).number - disk.block.number
    const settled = base.number <= finalizedNumber && depth > this.options.keepLayers
    const full = depth > this.options.maxLayers || (this.tree.bytes > this.options.maxLayerBytes && depth > 1)
    return settled || full ? this.exclusively(() => this.flattenLayer(disk, base)) : null
  }

  private async flattenLayer(disk: DiskLayer, layer: Layer): Promise<FlattenResult> {
    const dropped = this.tree.strangersTo(layer)
    const { store, hash, options: limits } = this
    const batch = await prepareFlatten({ store, hash, disk: disk.block, history: disk.history, limits, layer, dropped })
    disk.pending = { layer, replaced: batch.replaced }
    try {
      await store.batch(batch.ops)
    } catch (error) {
      disk.pending = null
      throw error
    }
    disk.take(layer, batch.written, batch.storageGone, batch.history)
    this.tree.remove(layer)
    this.drop(dropped)
    return { flattened: disk.block, dropped: dropped.map((gone) => gone.hash) }
  }

  async rollback(): Promise<StateBlock | null> {
    const disk = this.openedDisk()
    return this.exclusively(async () => {
      const layers = this.tree.all()
      const batch = prepareRollback(
        this.store,
        disk.block,
        disk.history,
        layers.map((layer) => hexToBytes(layer.hash)),
      )
      if (batch === null) return null
      // Whoever still reads must fail before the tables change, not see a mixture.
      this.drop(layers)
      disk.goingBack = true
      try {
        await this.store.batch(batch.ops, { sync: true })
        disk.goBack(batch.disk, batch.history)
      } finally {
        disk.goingBack = false
      }
      return batch.disk
    })
  }

  proof(block: Hash, address: Bytes20, slots: readonly Bytes32[]): StateProof | null {
    const view = this.viewAt(block)
    return view === null ? null : proveAccount(view, address, slots, this.hash)
  }

  proofAtNumber(number: number, address: Bytes20, slots: readonly Bytes32[]): StateProof | null {
    const view = this.viewAtNumber(number)
    return view === null ? null : proveAccount(view, address, slots, this.hash)
  }

  storageRoot(block: Hash, address: Bytes20): Bytes32 | null {
    return this.viewAt(block)?.account(address)?.storageRoot ?? null
  }

  dumpAccounts(block: Hash, start?: Bytes32): AsyncIterable<DumpedAccount> {
    return dumpAccounts(this.dumpSource(block), start)
  }

  dumpStorage(block: Hash, address: Bytes20, start?: Bytes32): AsyncIterable<DumpedSlot> {
    return dumpStorage(this.dumpSource(block), address, start)
  }

  private dumpSource(block: Hash): DumpSource {
    const disk = this.openedDisk()
    const view = this.parentView(block)
    const { generation } = disk
    const from = disk.block.hash
    return {
      store: this.store,
      hash: this.hash,
      lineage: view.lineage,
      assertUnmoved() {
        if (disk.block.hash === from && disk.generation === generation && disk.pending === null) return
        throw new StateError('state/stale-view', 'temporary', `the disk layer moved from ${from} while state was being listed; begin again`)
      },
    }
  }

  private drop(layers: readonly Layer[]): void {
    for (const layer of layers) {
      layer.dropped = true
      this.tree.remove(layer)
    }
  }

  /** The child of the disk layer that `head` descends from; null when `head` is the disk layer's block. */
  private oldestAncestor(head: Hash): Layer | null {
    const disk = this.openedDisk()
    if (head === disk.block.hash) return null
    let layer = this.tree.get(head)
    while (layer !== undefined && layer.parentHash !== disk.block.hash) layer = this.tree.get(layer.parentHash)
    if (layer === undefined) throw this.unknown(head)
    return layer
  }

  private assertState(block: Hash): void {
    if (!this.hasState(block)) throw this.unknown(block)
  }

  private parentView(block: Hash): StateReader {
    const view = this.viewAt(block)
    if (view === null) throw this.unknown(block)
    return view
  }

  private unknown(block: Hash): StateError {
    const { number, hash } = this.openedDisk().block
    const message = `no state for block ${block}: it is not among the ${this.tree.count} layers above block ${number} (${hash})`
    return new StateError('state/unknown-parent', 'reset', message, { block, disk: number })
  }

  private openDisk(block: StateBlock, bounds: Uint8Array | null): DiskLayer {
    const history = bounds === null ? null : decodeHistoryBounds(bounds)
    this.diskLayer = new DiskLayer(this.store, this.hash, this.options.cacheBytes, block, history)
    return this.diskLayer
  }

  private openedDisk(): DiskLayer {
    if (this.diskLayer === null) {
      throw new StateError('state/not-initialised', 'critical', 'the store holds no state yet; write the genesis first')
    }
    return this.diskLayer
  }

  private async exclusively<T>(move: () => Promise<T>): Promise<T> {
    if (this.moving) throw new StateError('state/busy', 'temporary', 'the disk layer is being moved already')
    this.moving = true
    try {
      return await move()
    } finally {
      this.moving = false
    }
  }
}
