import assert from 'node:assert/strict'
import type { Hash } from '@keelson/primitives'
import { createMemoryCache } from './memory-cache.ts'

const [a, b, c, d] = ['0xa', '0xb', '0xc', '0xd'] as unknown as readonly [Hash, Hash, Hash, Hash]

describe('memory cache', () => {
  it('evicts the least recently used entry', () => {
    const cache = createMemoryCache<Uint8Array>({ maxEntries: 2, maxBytes: 100, bytesOf: (value) => value.length })
    const [first, second, third] = [new Uint8Array(1), new Uint8Array(2), new Uint8Array(0)]
    cache.set(a, first)
    cache.set(b, second)
    assert.equal(cache.get(a), first)
    cache.set(c, third)
    assert.deepEqual([cache.get(a), cache.get(b), cache.get(c)], [first, undefined, third])
  })

  it('stays below its byte limit, but keeps the newest entry', () => {
    const cache = createMemoryCache<Uint8Array>({ maxEntries: 10, maxBytes: 100, bytesOf: (value) => value.length })
    cache.set(a, new Uint8Array(40))
    cache.set(b, new Uint8Array(40))
    cache.set(a, new Uint8Array(50))
    assert.equal(cache.calculatedSize, 90)
    cache.set(c, new Uint8Array(20))
    assert.equal(cache.get(b), undefined)
    assert.equal(cache.calculatedSize, 70)
    cache.set(d, new Uint8Array(500))
    assert.deepEqual([cache.size, cache.calculatedSize, cache.get(d)?.length], [1, 100, 500])
    cache.delete(d)
    cache.delete(d)
    assert.deepEqual([cache.size, cache.calculatedSize], [0, 0])
  })
})
