import assert from 'node:assert/strict'
import { ByteLru } from './byte-lru.ts'

describe('ByteLru', () => {
  it('stays below its byte limit and evicts the least recently used entries', () => {
    const lru = new ByteLru<Uint8Array>(3 * (120 + 1 + 100), (value) => value.length)
    for (const key of ['a', 'b', 'c']) lru.set(key, new Uint8Array(100))
    assert.ok(lru.get('a') !== undefined)
    lru.set('d', new Uint8Array(100))
    assert.equal(lru.get('b'), undefined)
    assert.ok(lru.get('a') !== undefined && lru.get('c') !== undefined && lru.get('d') !== undefined)
    lru.set('a', new Uint8Array(10))
    assert.equal(lru.usedBytes, 3 * 121 + 210)
    lru.set('huge', new Uint8Array(10_000))
    assert.equal(lru.get('huge'), undefined)
    assert.ok(lru.get('c') !== undefined)
    lru.clear()
    assert.equal(lru.usedBytes, 0)
  })
})
