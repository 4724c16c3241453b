import type { Hash } from '@keelson/primitives'
import { LRUCache } from 'lru-cache'

export interface MemoryLimits<V> {
  readonly maxEntries: number
  readonly maxBytes: number
  bytesOf(value: V): number
}

/** Accepts values above `maxBytes`, so that the newest block is always cached. */
export function createMemoryCache<V extends object>({ maxEntries, maxBytes, bytesOf }: MemoryLimits<V>): LRUCache<Hash, V> {
  const maxSize = Math.floor(maxBytes)
  return new LRUCache({ max: maxEntries, maxSize, sizeCalculation: (value) => Math.max(1, Math.min(bytesOf(value), maxSize)) })
}
