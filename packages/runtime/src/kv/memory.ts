import { compareBytes } from '@keelson/primitives'
import type { SnapshotKeyValueStore } from './store.ts'

type Entries = Map<string, readonly [key: Uint8Array, value: Uint8Array]>

export function createMemoryStore(): SnapshotKeyValueStore {
  return overEntries(new Map())
}

function overEntries(entries: Entries): SnapshotKeyValueStore {
  let sorted: readonly (readonly [Uint8Array, Uint8Array])[] | null = null
  const inOrder = () => {
    sorted ??= [...entries.values()].sort((a, b) => compareBytes(a[0], b[0]))
    return sorted
  }
  return {
    getSync(key) {
      const entry = entries.get(mapKey(key))
      return entry === undefined ? null : entry[1].slice()
    },
    async batch(ops) {
      for (const op of ops) {
        if ('put' in op) entries.set(mapKey(op.put), [op.put.slice(), op.value.slice()])
        else entries.delete(mapKey(op.del))
      }
      sorted = null
    },
    async *range(from, to, options = {}) {
      const all = inOrder()
      const first = lowerBound(all, from)
      const end = Math.max(first, lowerBound(all, to))
      const count = Math.min(end - first, options.limit ?? Number.POSITIVE_INFINITY)
      for (let i = 0; i < count; i++) {
        const entry = all[options.reverse === true ? end - 1 - i : first + i] as readonly [Uint8Array, Uint8Array]
        yield [entry[0].slice(), entry[1].slice()]
      }
    },
    snapshot: () => overEntries(new Map(entries)),
    async close() {
      entries.clear()
      sorted = null
    },
  }
}

function mapKey(key: Uint8Array): string {
  return String.fromCharCode(...key)
}

function lowerBound(entries: readonly (readonly [Uint8Array, Uint8Array])[], key: Uint8Array): number {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareBytes((entries[middle] as readonly [Uint8Array, Uint8Array])[0], key) < 0) low = middle + 1
    else high = middle
  }
  return low
}
