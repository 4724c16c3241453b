import type { Layer } from './layer.ts'
import type { Line } from './line.ts'

/** The keys that a layer changed. */
export interface LayerKeys {
  has(key: string): boolean
  keys(): Iterable<string>
}

/** Finds the layers that changed a key. `recent` are layers outside the index, in the order in which they were added. */
export class LayerIndex {
  private readonly layers = new Map<string, Layer[]>()
  readonly keysOf: (layer: Layer) => LayerKeys
  private readonly recent: readonly Layer[]

  constructor(keysOf: (layer: Layer) => LayerKeys, recent: readonly Layer[]) {
    this.keysOf = keysOf
    this.recent = recent
  }

  add(key: string, layer: Layer): void {
    const found = this.layers.get(key)
    if (found === undefined) {
      this.layers.set(key, [layer])
      return
    }
    let at = found.length
    while (at > 0 && (found[at - 1] as Layer).number > layer.number) at--
    found.splice(at, 0, layer)
  }

  remove(key: string, layer: Layer): void {
    const found = this.layers.get(key)
    const at = found?.indexOf(layer) ?? -1
    if (found === undefined || at < 0) return
    if (found.length === 1) this.layers.delete(key)
    else found.splice(at, 1)
  }

  find(key: string, lineage: Line): Layer | null {
    // None of these is an ancestor of one before it or of one in the index.
    for (let at = this.recent.length - 1; at >= 0; at--) {
      const layer = this.recent[at] as Layer
      if (lineage.has(layer) && this.keysOf(layer).has(key)) return layer
    }
    const found = this.layers.get(key)
    if (found === undefined) return null
    for (let at = found.length - 1; at >= 0; at--) if (lineage.has(found[at] as Layer)) return found[at] as Layer
    return null
  }

  findAny(key: string): Layer | null {
    return this.layers.get(key)?.[0] ?? this.recent.find((layer) => this.keysOf(layer).has(key)) ?? null
  }
}
