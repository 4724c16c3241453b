/** Decoded layers and cached values carry over to the next snapshot. */
import { type Hash, hexToBytes } from '@keelson/primitives'
import { BUCKETS, bucketKey, META_DISK, META_HISTORY, metaKey } from './buckets.ts'
import { DiskCache } from './disk/disk-cache.ts'
import { DiskLayer } from './disk/disk-layer.ts'
import { decodeDiskMarker } from './disk/disk-marker.ts'
import { countRollbacks } from './disk/rollback.ts'
import { createHasher, type Hasher } from './hasher.ts'
import { decodeHistoryBounds } from './history/history-block.ts'
import { LayeredReads } from './layered-reads.ts'
import { type Layer, openLayer } from './layers/layer.ts'
import { LayerTree } from './layers/layer-tree.ts'
import type { KeyValueReader } from './ports.ts'
import type { StateBlock, StateReads } from './state-store.ts'

export interface StateSnapshot extends StateReads {
  load(block: Hash, breathe: () => Promise<void>): Promise<void>
  close(): void
}

export interface SnapshotStates {
  open(snapshot: KeyValueReader): StateSnapshot
  readonly layerBytes: number
}

const OLD_CACHE_BYTES = 4 * 2 ** 20

export function createSnapshotStates(options: { readonly cacheBytes: number }): SnapshotStates {
  const hash = createHasher()
  let line: Line | null = null
  return {
    get layerBytes() {
      return line?.tree.bytes ?? 0
    },
    open(snapshot) {
      const marker = snapshot.getSync(metaKey(META_DISK))
      if (marker === null) return new NoState(hash)
      const block = decodeDiskMarker(marker)
      const rollbacks = countRollbacks(snapshot)
      if (line === null || line.rollbacks !== rollbacks) line = new Line(hash, options.cacheBytes, block, rollbacks)
      return line.open(snapshot, block)
    },
  }
}

/** A snapshot from the middle of a download. */
class NoState extends LayeredReads implements StateSnapshot {
  constructor(hash: Hasher) {
    super(new LayerTree(), hash)
  }

  protected override findLayer(): undefined {
    return undefined
  }

  load(): Promise<void> {
    return Promise.resolve()
  }

  close(): void {
    // Holds nothing.
  }
}

/** A sequence of snapshots without a rollback between them. */
class Line {
  readonly rollbacks: number
  readonly tree = new LayerTree({ lazyNodes: true })
  private readonly hash: Hasher
  private readonly cache: DiskCache
  private readonly snapshots = new Set<Snapshot>()
  private block: StateBlock

  constructor(hash: Hasher, cacheBytes: number, block: StateBlock, rollbacks: number) {
    this.rollbacks = rollbacks
    this.hash = hash
    this.cache = new DiskCache(cacheBytes)
    this.block = block
  }

  open(store: KeyValueReader, block: StateBlock): Snapshot {
    if (block.hash !== this.block.hash) this.moveCache(block)
    const bounds = store.getSync(metaKey(META_HISTORY))
    const disk = new DiskLayer(store, this.hash, this.cache, block, bounds === null ? null : decodeHistoryBounds(bounds))
    const snapshot = new Snapshot(this.tree, this.hash, disk, (closed) => this.snapshots.delete(closed))
    this.snapshots.add(snapshot)
    this.dropFlattened()
    return snapshot
  }

  /** Older snapshots get small caches. */
  private moveCache(block: StateBlock): void {
    for (const { tables } of this.snapshots) if (tables.cache === this.cache) tables.cache = new DiskCache(OLD_CACHE_BYTES)
    const flattened: Layer[] = []
    let at = block.hash
    for (let layer = this.tree.get(at); layer !== undefined && at !== this.block.hash; layer = this.tree.get(at)) {
      flattened.unshift(layer)
      at = layer.parentHash
    }
    if (at === this.block.hash) {
      for (const layer of flattened) this.cache.takeValues(layer, layer.wiped.size > 0)
      this.cache.nodes.clear()
    } else this.cache.forget()
    this.block = block
  }

  private dropFlattened(): void {
    let floor = this.block.number
    for (const { tables } of this.snapshots) floor = Math.min(floor, tables.block.number)
    for (const layer of this.tree.all()) if (layer.number <= floor) this.tree.remove(layer)
  }
}

class Snapshot extends LayeredReads implements StateSnapshot {
  readonly tables: DiskLayer
  private readonly onClose: (closed: Snapshot) => void
  private readonly leading = new Map<Hash, Layer>()

  constructor(tree: LayerTree, hash: Hasher, tables: DiskLayer, onClose: (closed: Snapshot) => void) {
    super(tree, hash)
    this.diskLayer = tables
    this.tables = tables
    this.onClose = onClose
  }

  protected override findLayer(block: Hash): Layer | undefined {
    const { block: disk } = this.tables
    const path: Layer[] = []
    let at = block
    while (at !== disk.hash && !this.leading.has(at)) {
      const layer = this.tree.get(at) ?? this.readLayer(at)
      if (layer === null || layer.number <= disk.number) return undefined
      path.push(layer)
      at = layer.parentHash
    }
    for (const layer of path) this.leading.set(layer.hash, layer)
    return this.leading.get(block)
  }

  async load(block: Hash, breathe: () => Promise<void>): Promise<void> {
    const { block: disk } = this.tables
    let at = block
    while (at !== disk.hash) {
      const known = this.tree.get(at)
      const layer = known ?? this.readLayer(at)
      if (layer === null || layer.number <= disk.number) return
      if (known === undefined) await breathe()
      at = layer.parentHash
    }
  }

  private readLayer(block: Hash): Layer | null {
    const record = this.tables.store.getSync(bucketKey(BUCKETS.layer, hexToBytes(block)))
    if (record === null) return null
    const layer = openLayer(record, this.hash)
    this.tree.add(layer)
    return layer
  }

  close(): void {
    this.onClose(this)
  }
}
