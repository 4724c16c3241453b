import { LRUCache } from 'lru-cache'

/** Stands for null, which the library cannot store. */
const ABSENT: unique symbol = Symbol('absent')
const ENTRY_OVERHEAD_BYTES = 120

/** A value larger than the limit is not kept. */
export class ByteLru<V> {
  readonly #entries: LRUCache<string, NonNullable<V> | typeof ABSENT>

  constructor(maxBytes: number, sizeOf: (value: V) => number) {
    this.#entries = new LRUCache({
      maxSize: Math.max(1, Math.floor(maxBytes)),
      sizeCalculation: (value, key) => ENTRY_OVERHEAD_BYTES + key.length + sizeOf((value === ABSENT ? null : value) as V),
    })
  }

  get(key: string): V | undefined {
    const value = this.#entries.get(key)
    return (value === ABSENT ? null : value) as V | undefined
  }

  set(key: string, value: V): void {
    this.#entries.set(key, value ?? ABSENT)
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
  }

  get maxBytes(): number {
    return this.#entries.maxSize
  }

  get usedBytes(): number {
    return this.#entries.calculatedSize
  }
}
