import { compareBytes } from '@keelson/primitives'
import { bytesToKey, keyToBytes } from './byte-key.ts'
import type { KeyValueReader, KeyValueStore } from './ports.ts'

export interface MemoryKeyValueStore extends KeyValueStore {
  snapshot(): KeyValueReader
}

export function createMemoryKeyValueStore(): MemoryKeyValueStore {
  return overEntries(new Map())
}

function overEntries(entries: Map<string, Uint8Array>): MemoryKeyValueStore {
  let sorted: string[] | null = null
  const inOrder = () => {
    sorted ??= [...entries.keys()].sort()
    return sorted
  }
  return {
    getSync(key) {
      return entries.get(bytesToKey(key))?.slice() ?? null
    },
    async batch(ops) {
      for (const op of ops) {
        if ('put' in op) entries.set(bytesToKey(op.put), op.value.slice())
        else entries.delete(bytesToKey(op.del))
      }
      sorted = null
    },
    async *range(from, to, options = {}) {
      if (compareBytes(from, to) >= 0) return
      const keys = inOrder()
      const first = lowerBound(keys, bytesToKey(from))
      const end = lowerBound(keys, bytesToKey(to))
      const count = Math.min(end - first, options.limit ?? Number.POSITIVE_INFINITY)
      const found: (readonly [string, Uint8Array])[] = []
      for (let i = 0; i < count; i++) {
        const key = keys[options.reverse === true ? end - 1 - i : first + i] as string
        found.push([key, entries.get(key) as Uint8Array])
      }
      for (const [key, value] of found) yield [keyToBytes(key), value.slice()] as const
    },
    snapshot: () => overEntries(new Map(entries)),
    async close() {
      entries.clear()
      sorted = null
    },
  }
}

function lowerBound(keys: readonly string[], key: string): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((keys[middle] as string) < key) low = middle + 1
    else high = middle
  }
  return low
}
