import { type Bytes20, type Bytes32, type Hash, hexToBytes } from '@keelson/primitives'
import { BUCKETS, bucketKey, META_DISK, META_DOWNLOAD, META_HISTORY, metaKey, prefixRange } from './buckets.ts'
import { BatchDraft } from './disk/batch-draft.ts'
import { DiskCache } from './disk/disk-cache.ts'
import { DiskLayer } from './disk/disk-layer.ts'
import { decodeDiskMarker } from './disk/disk-marker.ts'
import { blockOf, prepareFlatten } from './disk/flatten.ts'
import { Pace } from './disk/pace.ts'
import { NOTHING_TO_READ, type Prefetch, prefetchAccounts } from './disk/prefetch.ts'
import { prepareRollback } from './disk/rollback.ts'
import { writeGenesis } from './disk/write-genesis.ts'
import { openStateDownload, type StateDownload, startStateDownload } from './download/state-download.ts'
import { StateError } from './errors.ts'
import { createHasher } from './hasher.ts'
import { decodeHistoryBounds, encodeHistoryBounds } from './history/history-block.ts'
import { IndexTails } from './history/index-tails.ts'
import { exceedsLimits, pruneHistory } from './history/prune-history.ts'
import { LayeredReads } from './layered-reads.ts'
import { type Layer, newLayer, openLayer } from './layers/layer.ts'
import { LayerTree } from './layers/layer-tree.ts'
import { type DumpSource, dumpAccounts, dumpStorage } from './listing/dump.ts'
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
  type StateStorePorts,
} from './state-store.ts'

export async function openStateStore(
  store: KeyValueStore,
  options: Partial<StateStoreOptions> = {},
  ports: StateStorePorts = NOBODY_WAITS,
): Promise<StateStore> {
  const state = new LayeredStateStore(store, { ...DEFAULT_STATE_STORE_OPTIONS, ...options }, ports)
  await state.recover()
  return state
}

const NOBODY_WAITS: StateStorePorts = { breathe: () => Promise.resolve() }

/** A flatten waits until the settled layers, or those above `maxLayers`, make up this share of `keepLayers`. */
const WAITING_SHARE = 1 / 8
/** Maximum size of a group of layers; a larger layer is flattened alone. */
const MAX_FLATTEN_BYTES = 2 * 2 ** 20
/** Times a cap; the distance leaves the background time to catch up. */
const OVERFULL = 2
const MAX_PRUNED_BLOCKS = 128
const MAX_PRUNED_KEYS = 4_096

class LayeredStateStore extends LayeredReads implements StateStore {
  private readonly store: KeyValueStore
  private readonly options: StateStoreOptions
  private readonly tails: IndexTails
  private readonly pace: Pace
  private moving = false

  constructor(store: KeyValueStore, options: StateStoreOptions, ports: StateStorePorts) {
    super(new LayerTree(), createHasher())
    this.store = store
    this.options = options
    this.tails = new IndexTails(options.historyCacheBytes)
    this.pace = new Pace(ports.breathe)
  }

  /** Restores layers that descend from the disk layer and deletes all others. */
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

  get overfull(): boolean {
    const { maxLayers, maxLayerBytes } = this.options
    return this.tree.count > OVERFULL * maxLayers || this.tree.bytes > OVERFULL * maxLayerBytes
  }

  get historyBytes(): number {
    return this.diskLayer?.history?.bytes ?? 0
  }

  get historyCacheUsedBytes(): number {
    return this.tails.usedBytes
  }

  get cacheUses(): readonly CacheUse[] {
    return this.diskLayer?.cache.uses() ?? []
  }

  get downloading(): boolean {
    return this.store.getSync(metaKey(META_DOWNLOAD)) !== null
  }

  async startDownload(ops: readonly KeyValueOp[]): Promise<void> {
    await this.exclusively(async () => {
      await startStateDownload(this.store, ops)
      this.close()
    })
  }

  async download(): Promise<StateDownload> {
    return this.exclusively(() => {
      this.close()
      return openStateDownload(this.store, (block) => this.openDisk(block, null))
    })
  }

  private close(): void {
    this.drop(this.tree.all())
    if (this.diskLayer !== null) this.diskLayer.generation++
    this.diskLayer = null
    this.tails.clear()
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

  prefetch(parent: Hash, addresses: readonly Bytes20[]): Prefetch {
    const disk = this.openedDisk()
    const view = this.parentView(parent)
    const { getMany } = this.store
    if (getMany === undefined || view.number < disk.block.number) return NOTHING_TO_READ
    return prefetchAccounts(getMany, disk, view, addresses, this.hash)
  }

  stageLayer(input: LayerInput): StagedLayer {
    this.assertState(input.parentHash)
    if (this.hasState(input.hash)) return { ops: [], publish: () => undefined }
    const { layer, record } = newLayer(input, this.hash)
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
    await this.tree.index(this.pace)
    const due = this.dueLayers(head, finalizedNumber)
    if (due.length > 0) return this.exclusively(() => this.flattenLayers(disk, due))
    return exceedsLimits(disk.history, disk.block.number, this.options) ? this.exclusively(() => this.prune(disk)) : null
  }

  /** A layer that resets storage can only be the first of a group. */
  private dueLayers(head: Hash, finalizedNumber: number): Layer[] {
    const { keepLayers, maxLayers, maxLayerBytes, maxFlattenLayers } = this.options
    const path = this.pathTo(head)
    // If memory is short, flatten one layer at a time: dropping other branches may free enough.
    const heavy = this.tree.bytes > maxLayerBytes && path.length > 1
    const settled = Math.min(path.length - keepLayers, finalizedNumber + 1 - (path[0]?.number ?? 0))
    // Layers wait for a group: a key that changes in every block is written once.
    const group = Math.min(maxFlattenLayers, Math.max(1, Math.floor(Math.min(keepLayers, maxLayers) * WAITING_SHARE)))
    const ready = Math.max(settled, path.length - maxLayers)
    const wanted = Math.max(ready < group ? 0 : ready, heavy ? 1 : 0)
    const due: Layer[] = []
    let bytes = 0
    for (const [i, layer] of path.slice(0, Math.max(0, wanted)).entries()) {
      bytes += layer.bytes
      if (i > 0 && (i >= maxFlattenLayers || bytes > MAX_FLATTEN_BYTES || layer.wiped.size > 0)) break
      due.push(layer)
    }
    return due
  }

  private async flattenLayers(disk: DiskLayer, layers: readonly Layer[]): Promise<FlattenResult> {
    const { store, hash, options: limits, tails, pace } = this
    const { draft, replaced, storageGone, history } = await prepareFlatten({ store, hash, tables: disk, limits, tails, pace, layers })
    const ops = await draft.opsInPieces(pace)
    const dropped = this.tree.strangersTo(layers)
    for (const gone of dropped) ops.push({ del: bucketKey(BUCKETS.layer, hexToBytes(gone.hash)) })
    const last = layers.at(-1) as Layer
    const before = disk.history
    // Readers of pruned history must fail before its records are deleted.
    if (before !== null) disk.history = { ...before, oldest: Math.max(before.oldest, history?.oldest ?? before.newest + 1) }
    disk.pending = { last, replaced }
    try {
      await store.batch(ops)
    } catch (error) {
      disk.history = before
      disk.pending = null
      throw error
    }
    await disk.take(layers, storageGone, blockOf(last), history, pace)
    for (const layer of dropped) layer.dropped = true
    for (const layer of [...layers, ...dropped]) this.tree.detach(layer)
    // Oldest first: a view that still has these layers must not find an older value instead of a newer one.
    for (const layer of [...layers, ...dropped]) await this.tree.unindex(layer, pace)
    await tails.take(draft, pace)
    return { flattened: disk.block, dropped: dropped.map((gone) => gone.hash) }
  }

  private async prune(disk: DiskLayer): Promise<FlattenResult> {
    const { options: limits, pace } = this
    const draft = new BatchDraft(this.store, this.tails.find)
    const bounded = { maxBlocks: MAX_PRUNED_BLOCKS, maxKeys: MAX_PRUNED_KEYS }
    const history = await pruneHistory({ draft, pace, history: disk.history, newest: disk.block.number, limits, ...bounded })
    draft.set(metaKey(META_HISTORY), history === null ? null : encodeHistoryBounds(history))
    disk.history = history
    await this.store.batch(await draft.opsInPieces(pace))
    await this.tails.take(draft, pace)
    return { flattened: disk.block, dropped: [] }
  }

  async dropAbove(number: number): Promise<number> {
    return this.exclusively(async () => {
      const layers = this.tree.all().filter((layer) => layer.number > number)
      await this.store.batch(layers.map(({ hash }) => ({ del: bucketKey(BUCKETS.layer, hexToBytes(hash)) })))
      this.drop(layers)
      return layers.length
    })
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
      // Open views must fail before the tables change.
      this.drop(layers)
      disk.goingBack = true
      try {
        await this.store.batch(batch.ops, { sync: true })
        disk.goBack(batch.disk, batch.history)
        this.tails.clear()
      } catch (error) {
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
        throw new StateError('state/stale-view', 'temporary', `the disk layer moved from ${from} while state was being listed; retry`)
      },
    }
  }

  private drop(layers: readonly Layer[]): void {
    for (const layer of layers) {
      layer.dropped = true
      this.tree.remove(layer)
    }
  }

  private pathTo(head: Hash): Layer[] {
    const disk = this.openedDisk()
    const path: Layer[] = []
    for (let at = head; at !== disk.block.hash; ) {
      const layer = this.tree.get(at)
      if (layer === undefined) throw this.unknown(head)
      path.push(layer)
      at = layer.parentHash
    }
    return path.reverse()
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
    if (this.moving) throw new StateError('state/busy', 'temporary', 'the disk layer is already being moved')
    this.moving = true
    try {
      return await move()
    } finally {
      this.moving = false
    }
  }
}
