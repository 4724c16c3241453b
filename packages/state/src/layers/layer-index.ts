import type { Layer } from './layer.ts'

export type Lineage = ReadonlySet<Layer>

export class LayerIndex {
  private readonly layers = new Map<string, Layer[]>()

  add(keys: Iterable<string>, layer: Layer): void {
    for (const key of keys) {
      const found = this.layers.get(key)
      if (found === undefined) this.layers.set(key, [layer])
      else {
        let at = found.length
        while (at > 0 && (found[at - 1] as Layer).number > layer.number) at--
        found.splice(at, 0, layer)
      }
    }
  }

  remove(keys: Iterable<string>, layer: Layer): void {
    for (const key of keys) {
      const left = this.layers.get(key)?.filter((other) => other !== layer) ?? []
      if (left.length === 0) this.layers.delete(key)
      else this.layers.set(key, left)
    }
  }

  find(key: string, lineage: Lineage): Layer | null {
    const found = this.layers.get(key)
    if (found === undefined) return null
    for (let at = found.length - 1; at >= 0; at--) if (lineage.has(found[at] as Layer)) return found[at] as Layer
    return null
  }

  findAny(key: string): Layer | null {
    return this.layers.get(key)?.[0] ?? null
  }
}
