import type { Layer } from './layer.ts'

/** A layer and its ancestors among the layers. Their numbers are successive, so a look-up needs no hashing. */
export class Line implements Iterable<Layer> {
  /** Oldest first. */
  private readonly layers: readonly Layer[]
  private readonly first: number

  constructor(layers: readonly Layer[] = []) {
    this.layers = layers
    this.first = layers[0]?.number ?? 0
  }

  get oldest(): Layer | undefined {
    return this.layers[0]
  }

  get newest(): Layer | undefined {
    return this.layers[this.layers.length - 1]
  }

  has(layer: Layer): boolean {
    const at = layer.number - this.first
    return at >= 0 && at < this.layers.length && this.layers[at] === layer
  }

  /** `child` is the child of the newest. */
  with(child: Layer): Line {
    return new Line([...this.layers, child])
  }

  withoutOldest(): Line {
    return new Line(this.layers.slice(1))
  }

  [Symbol.iterator](): Iterator<Layer> {
    return this.layers[Symbol.iterator]()
  }
}
