import assert from 'node:assert/strict'
import { retryAfter } from './retry-after.ts'

describe('Retry-After', () => {
  it('states whole seconds, rounded up, without leading zeros', () => {
    const waitsMs = [0, 1, 1_000, 1_001, 10_000, 86_400_000]
    assert.deepEqual(waitsMs.map(retryAfter), ['1', '1', '1', '2', '10', '86400'])
  })
})
