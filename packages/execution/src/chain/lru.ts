/** A map that evicts the least recently used entries beyond a number of entries or bytes. */
export interface LruCache<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): void
  delete(key: K): void
  readonly size: number
  /** Sum of `bytesOf`; 0 without a limit. */
  readonly bytes: number
}

export interface ByteLimit<V> {
  readonly maxBytes: number
  bytesOf(value: V): number
}

/** The newest entry is kept whatever its size. */
export function createLruCache<K, V>(capacity: number, limit?: ByteLimit<V>): LruCache<K, V> {
  const entries = new Map<K, { readonly value: V; readonly bytes: number }>()
  let total = 0
  const remove = (key: K) => {
    total -= entries.get(key)?.bytes ?? 0
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
    set(key, value) {
      remove(key)
      const bytes = limit?.bytesOf(value) ?? 0
      entries.set(key, { value, bytes })
      total += bytes
      while (entries.size > capacity || (limit !== undefined && total > limit.maxBytes && entries.size > 1)) {
        remove(entries.keys().next().value as K)
      }
    },
    delete: remove,
    get size() {
      return entries.size
    },
    get bytes() {
      return total
    },
  }
}
