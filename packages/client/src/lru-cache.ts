/** Keeps the most recently used entries within a number and a total weight (usually bytes). */
export interface LruCache<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V, weight?: number): void
  readonly size: number
}

export function createLruCache<K, V>(limits: { readonly maxEntries: number; readonly maxWeight?: number }): LruCache<K, V> {
  const maxWeight = limits.maxWeight ?? Number.POSITIVE_INFINITY
  const entries = new Map<K, { readonly value: V; readonly weight: number }>()
  let total = 0
  const remove = (key: K) => {
    total -= entries.get(key)?.weight ?? 0
    entries.delete(key)
  }
  return {
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry.value
    },
    set(key, value, weight = 0) {
      remove(key)
      if (weight > maxWeight) return
      entries.set(key, { value, weight })
      total += weight
      while (entries.size > limits.maxEntries || total > maxWeight) remove(entries.keys().next().value as K)
    },
    get size() {
      return entries.size
    },
  }
}
