import assert from 'node:assert/strict'
import { createLruCache } from './lru.ts'

describe('LRU cache', () => {
  it('evicts the least recently used entry', () => {
    const cache = createLruCache<string, number>(2)
    cache.set('a', 1)
    cache.set('b', 2)
    assert.equal(cache.get('a'), 1)
    cache.set('c', 3)
    assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], [1, undefined, 3])
    assert.equal(cache.bytes, 0)
  })

  it('stays below its byte limit, but keeps the newest entry', () => {
    const cache = createLruCache<string, Uint8Array>(10, { maxBytes: 100, bytesOf: (value) => value.length })
    cache.set('a', new Uint8Array(40))
    cache.set('b', new Uint8Array(40))
    cache.set('a', new Uint8Array(50))
    assert.equal(cache.bytes, 90)
    cache.set('c', new Uint8Array(20))
    assert.equal(cache.get('b'), undefined)
    assert.equal(cache.bytes, 70)
    cache.set('d', new Uint8Array(500))
    assert.deepEqual([cache.size, cache.bytes, cache.get('d')?.length], [1, 500, 500])
    cache.delete('d')
    cache.delete('d')
    assert.deepEqual([cache.size, cache.bytes], [0, 0])
  })
})
