import type { Hash } from '@keelson/primitives'
import type { Layer } from './layer.ts'
import { LayerIndex, type Lineage } from './layer-index.ts'

export class LayerTree {
  readonly accounts = new LayerIndex()
  readonly slots = new LayerIndex()
  readonly wiped = new LayerIndex()
  readonly codes = new LayerIndex()
  private readonly layers = new Map<Hash, Layer>()
  private readonly nodeIndex = new LayerIndex()
  private readonly lazyNodes: boolean
  private readonly withoutNodes = new Set<Layer>()
  private last: { readonly layer: Layer; readonly lineage: Lineage } | null = null
  private totalBytes = 0

  /** `lazyNodes` defers indexing trie nodes until the first node read. */
  constructor(options: { readonly lazyNodes: boolean } = { lazyNodes: false }) {
    this.lazyNodes = options.lazyNodes
  }

  get nodes(): LayerIndex {
    for (const layer of this.withoutNodes) this.nodeIndex.add(layer.nodes.keys(), layer)
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

  add(layer: Layer): void {
    this.layers.set(layer.hash, layer)
    this.totalBytes += layer.bytes
    this.last = null
    for (const [index, keys] of this.indexes(layer)) index.add(keys, layer)
    if (this.lazyNodes) this.withoutNodes.add(layer)
    else this.nodeIndex.add(layer.nodes.keys(), layer)
  }

  remove(layer: Layer): void {
    if (!this.layers.delete(layer.hash)) return
    this.totalBytes -= layer.bytes
    for (const [index, keys] of this.indexes(layer)) index.remove(keys, layer)
    if (!this.withoutNodes.delete(layer)) this.nodeIndex.remove(layer.nodes.keys(), layer)
  }

  lineage(layer: Layer): Lineage {
    if (this.last?.layer === layer) return this.last.lineage
    const lineage = new Set<Layer>()
    for (let at: Layer | undefined = layer; at !== undefined; at = this.layers.get(at.parentHash)) lineage.add(at)
    this.last = { layer, lineage }
    return lineage
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

  private indexes(layer: Layer): readonly (readonly [LayerIndex, Iterable<string>])[] {
    return [
      [this.accounts, layer.accounts.keys()],
      [this.slots, layer.slots.keys()],
      [this.wiped, layer.wiped],
      [this.codes, layer.codes.keys()],
    ]
  }
}
