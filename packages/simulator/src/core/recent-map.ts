/** A map that remembers what was used lately: up to two generations of entries, so that it needs no order of use. */
export class RecentMap<V> {
  #latest = new Map<string, V>()
  #earlier = new Map<string, V>()
  readonly #generation: number

  /** `generation` is the number of entries after which a new generation begins. */
  constructor(generation: number) {
    this.#generation = generation
  }

  /** The remembered value, or what `make` returns, remembered from then on. */
  get(key: string, make: () => V): V {
    const known = this.#latest.get(key)
    if (known !== undefined) return known
    const value = this.#earlier.get(key) ?? make()
    if (this.#latest.size >= this.#generation) {
      this.#earlier = this.#latest
      this.#latest = new Map()
    }
    this.#latest.set(key, value)
    return value
  }
}
