import assert from 'node:assert/strict'
import { createLruCache } from './lru-cache.ts'

describe('LRU cache', () => {
  it('forgets what was used longest ago', () => {
    const cache = createLruCache<string, number>({ maxEntries: 2 })
    cache.set('a', 1)
    cache.set('b', 2)
    assert.equal(cache.get('a'), 1)
    cache.set('c', 3)
    assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c'), cache.size], [1, undefined, 3, 2])
  })

  it('stays within its weight, also when an entry is replaced', () => {
    const cache = createLruCache<string, number>({ maxEntries: 10, maxWeight: 10 })
    cache.set('a', 1, 6)
    cache.set('a', 2, 4)
    cache.set('b', 3, 6)
    assert.deepEqual([cache.get('a'), cache.get('b')], [2, 3])
    cache.set('c', 4, 1)
    assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], [undefined, 3, 4])
    cache.set('huge', 5, 11)
    assert.equal(cache.get('huge'), undefined)
  })
})
