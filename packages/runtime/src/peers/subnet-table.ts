/** A table of untrusted node data: a flood from one subnet evicts only entries of that subnet. */

export interface SubnetTableOptions<V> {
  readonly most: number
  readonly mostOfSubnet: number
  /** The highest rank is evicted first, the oldest among equals. */
  readonly rank?: (value: V) => number
}

export interface SubnetTable<V> {
  readonly size: number
  get(key: string): V | undefined
  /** Makes the entry the newest. With `subnet` null, only `most` applies. */
  set(key: string, subnet: string | null, value: V): void
  /** Replaces the value without making the entry newer. */
  change(key: string, value: V): void
  delete(key: string): void
  values(): IterableIterator<V>
}

interface Entry<V> {
  readonly subnet: string | null
  value: V
}

export function createSubnetTable<V>({ most, mostOfSubnet, rank = () => 0 }: SubnetTableOptions<V>): SubnetTable<V> {
  const entries = new Map<string, Entry<V>>()
  const sizes = new Map<string | null, number>()

  function resize(subnet: string | null, by: number): number {
    const size = (sizes.get(subnet) ?? 0) + by
    if (size === 0) sizes.delete(subnet)
    else sizes.set(subnet, size)
    return size
  }

  function remove(key: string): void {
    const entry = entries.get(key)
    if (entry !== undefined && entries.delete(key)) resize(entry.subnet, -1)
  }

  function removeWorst(isEligible: (subnet: string | null) => boolean): void {
    let worst: { readonly key: string; readonly rank: number } | null = null
    for (const [key, { subnet, value }] of entries) {
      if (isEligible(subnet) && (worst === null || rank(value) > worst.rank)) worst = { key, rank: rank(value) }
    }
    if (worst !== null) remove(worst.key)
  }

  return {
    get size() {
      return entries.size
    },
    get: (key) => entries.get(key)?.value,
    set(key, subnet, value) {
      remove(key)
      entries.set(key, { subnet, value })
      const size = resize(subnet, 1)
      if (subnet !== null && size > mostOfSubnet) removeWorst((other) => other === subnet)
      if (entries.size <= most) return
      const largest = Math.max(...sizes.values())
      removeWorst((other) => sizes.get(other) === largest)
    },
    change(key, value) {
      const entry = entries.get(key)
      if (entry !== undefined) entry.value = value
    },
    delete: remove,
    *values() {
      for (const { value } of entries.values()) yield value
    },
  }
}
