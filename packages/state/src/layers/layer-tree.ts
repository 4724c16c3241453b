import type { Hash } from '@keelson/primitives'
import type { Pace } from '../disk/pace.ts'
import type { Layer } from './layer.ts'
import { LayerIndex } from './layer-index.ts'
import { Line } from './line.ts'

/** Looking through each of these costs a read about as much as looking into the index. */
const MAX_RECENT = 3

export class LayerTree {
  /** Layers that are not in the indexes yet, oldest first. */
  private readonly recent: Layer[] = []
  readonly accounts = new LayerIndex((layer) => layer.accounts, this.recent)
  readonly slots = new LayerIndex((layer) => layer.slots, this.recent)
  readonly wiped = new LayerIndex((layer) => layer.wiped, this.recent)
  readonly codes = new LayerIndex((layer) => layer.codes, this.recent)
  private readonly layers = new Map<Hash, Layer>()
  private readonly nodeIndex: LayerIndex
  private readonly indexes: readonly LayerIndex[]
  private readonly lazyNodes: boolean
  private readonly withoutNodes = new Set<Layer>()
  /** The lineage that was asked for last, as the layers are now. */
  private last = new Line()
  private totalBytes = 0
  private highest = 0

  /** `lazyNodes` defers decoding and indexing trie nodes until the first node read. */
  constructor({ lazyNodes }: { readonly lazyNodes: boolean } = { lazyNodes: false }) {
    this.lazyNodes = lazyNodes
    this.nodeIndex = new LayerIndex((layer) => layer.nodes, lazyNodes ? [] : this.recent)
    // First the wiped: a slot that left the index must not look wiped by its own layer.
    const ofValues = [this.wiped, this.accounts, this.slots, this.codes]
    this.indexes = lazyNodes ? ofValues : [...ofValues, this.nodeIndex]
  }

  get nodes(): LayerIndex {
    for (const layer of this.withoutNodes) addAll(this.nodeIndex, layer)
    this.withoutNodes.clear()
    return this.nodeIndex
  }

  get count(): number {
    return this.layers.size
  }

  get bytes(): number {
    return this.totalBytes
  }

  get(hash: Hash): Layer | undefined {
    return this.layers.get(hash)
  }

  all(): Layer[] {
    return [...this.layers.values()]
  }

  /** Call `index` afterwards, when nobody waits. */
  add(layer: Layer): void {
    this.layers.set(layer.hash, layer)
    this.totalBytes += layer.bytes
    if (this.last.oldest?.parentHash === layer.hash) this.last = new Line()
    this.recent.push(layer)
    if (this.lazyNodes) this.withoutNodes.add(layer)
    // An ancestor added after its descendants must not be found before them.
    const most = layer.number < this.highest ? 0 : MAX_RECENT
    while (this.recent.length > most) this.indexOldest()
    this.highest = this.layers.size === 1 ? layer.number : Math.max(this.highest, layer.number)
  }

  /** Indexes layers added lately, which takes milliseconds for a full block. */
  async index(pace: Pace): Promise<void> {
    for (let layer = this.recent[0]; layer !== undefined; layer = this.recent[0]) {
      for (const index of this.indexes) {
        for (const key of index.keysOf(layer).keys()) {
          index.add(key, layer)
          if (pace.due()) await pace.breathe()
        }
      }
      // The layer may have been removed meanwhile.
      if (this.layers.get(layer.hash) !== layer) await this.unindex(layer, pace)
      else if (this.recent[0] === layer) this.recent.shift()
    }
  }

  remove(layer: Layer): void {
    if (!this.detach(layer)) return
    for (const index of this.indexes) for (const key of index.keysOf(layer).keys()) index.remove(key, layer)
    if (this.lazyNodes && !this.withoutNodes.delete(layer)) for (const key of layer.nodes.keys()) this.nodeIndex.remove(key, layer)
  }

  /** New views no longer have the layer; call `unindex` afterwards. */
  detach(layer: Layer): boolean {
    if (!this.layers.delete(layer.hash)) return false
    this.totalBytes -= layer.bytes
    if (this.last.has(layer)) this.last = this.last.oldest === layer ? this.last.withoutOldest() : new Line()
    const at = this.recent.indexOf(layer)
    if (at >= 0) this.recent.splice(at, 1)
    return true
  }

  async unindex(layer: Layer, pace: Pace): Promise<void> {
    for (const index of this.indexes) {
      for (const key of index.keysOf(layer).keys()) {
        index.remove(key, layer)
        if (pace.due()) await pace.breathe()
      }
    }
  }

  lineage(layer: Layer): Line {
    const { newest } = this.last
    if (newest === layer) return this.last
    const isChild = newest !== undefined && this.layers.get(layer.parentHash) === newest
    this.last = isChild ? this.last.with(layer) : this.walk(layer)
    return this.last
  }

  private walk(layer: Layer): Line {
    const newestFirst: Layer[] = []
    for (let at: Layer | undefined = layer; at !== undefined; at = this.layers.get(at.parentHash)) newestFirst.push(at)
    return new Line(newestFirst.reverse())
  }

  /** Returns layers that are not in `line` and do not descend from its last layer. */
  strangersTo(line: readonly Layer[]): Layer[] {
    const own = new Set(line)
    const family = new Set<Hash>(line.slice(-1).map((layer) => layer.hash))
    const byNumber = this.all().sort((a, b) => a.number - b.number)
    return byNumber.filter((layer) => {
      if (own.has(layer)) return false
      if (!family.has(layer.parentHash)) return true
      family.add(layer.hash)
      return false
    })
  }

  private indexOldest(): void {
    const layer = this.recent.shift() as Layer
    for (const index of this.indexes) addAll(index, layer)
  }
}

function addAll(index: LayerIndex, layer: Layer): void {
  for (const key of index.keysOf(layer).keys()) index.add(key, layer)
}
