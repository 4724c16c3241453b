/** Opens the state store over a key-value store and recovers the layers. */
import { type Bytes20, type Bytes32, type Hash, hexToBytes } from '@keelson/primitives'
import { BUCKETS, bucketKey, META_DISK, META_HISTORY, metaKey, prefixRange } from './buckets.ts'
import { DiskCache } from './disk/disk-cache.ts'
import { DiskLayer } from './disk/disk-layer.ts'
import { decodeDiskMarker } from './disk/disk-marker.ts'
import { prepareFlatten } from './disk/flatten.ts'
import { prepareRollback } from './disk/rollback.ts'
import { writeGenesis } from './disk/write-genesis.ts'
import { type DumpSource, dumpAccounts, dumpStorage } from './dump.ts'
import { StateError } from './errors.ts'
import { createHasher } from './hasher.ts'
import { decodeHistoryBounds } from './history/history-block.ts'
import { LayeredReads } from './layered-reads.ts'
import { type Layer, openLayer } from './layers/layer.ts'
import { encodeLayerRecord } from './layers/layer-record.ts'
import { LayerTree } from './layers/layer-tree.ts'
import type { KeyValueOp, KeyValueStore } from './ports.ts'
import {
  type CacheUse,
  DEFAULT_STATE_STORE_OPTIONS,
  type DumpedAccount,
  type DumpedSlot,
  type FlattenResult,
  type GenesisState,
  type LayerInput,
  type StagedLayer,
  type StateBlock,
  type StateStore,
  type StateStoreOptions,
} from './state-store.ts'

/** Recovers the layers written by batch A; no block is executed again. Throws `state/corrupt-record`. */
export async function openStateStore(store: KeyValueStore, options: Partial<StateStoreOptions> = {}): Promise<StateStore> {
  const state = new LayeredStateStore(store, { ...DEFAULT_STATE_STORE_OPTIONS, ...options })
  await state.recover()
  return state
}

class LayeredStateStore extends LayeredReads implements StateStore {
  private readonly store: KeyValueStore
  private readonly options: StateStoreOptions
  private moving = false

  constructor(store: KeyValueStore, options: StateStoreOptions) {
    super(new LayerTree(), createHasher())
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

  protected override findLayer(block: Hash): Layer | undefined {
    return this.tree.get(block)
  }

  get layerCount(): number {
    return this.tree.count
  }

  get layerBytes(): number {
    return this.tree.bytes
  }

  get cacheUses(): readonly CacheUse[] {
    return this.diskLayer?.cache.uses() ?? []
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
    disk.take(layer, batch.storageGone, batch.history)
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
      } catch (error) {
        // nothing was written: the layers are what they were
        for (const layer of layers) {
          layer.dropped = false
          this.tree.add(layer)
        }
        throw error
      } finally {
        disk.goingBack = false
      }
      return batch.disk
    })
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

  private openDisk(block: StateBlock, bounds: Uint8Array | null): DiskLayer {
    const history = bounds === null ? null : decodeHistoryBounds(bounds)
    this.diskLayer = new DiskLayer(this.store, this.hash, new DiskCache(this.options.cacheBytes), block, history)
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
