/** Faults that last may overlap at one place. What is in force there follows from all that are not over. */
export class Overlaps<T> {
  readonly #inForce = new Map<string, Set<{ readonly value: T }>>()

  /** `apply` gets the values in force at the place, now and when this fault ends. Returns the function that ends it. */
  begin(place: string, value: T, apply: (values: readonly T[]) => void): () => void {
    const all = this.#inForce.get(place) ?? new Set()
    const mine = { value }
    this.#inForce.set(place, all)
    const settle = () => apply([...all].map((one) => one.value))
    all.add(mine)
    settle()
    return () => {
      if (!all.delete(mine)) return
      if (all.size === 0) this.#inForce.delete(place)
      settle()
    }
  }
}
