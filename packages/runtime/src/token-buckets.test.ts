import assert from 'node:assert/strict'
import { createManualClock } from './clock.ts'
import { createTokenBuckets } from './token-buckets.ts'

describe('token buckets by name', () => {
  it('keep one bucket per name, and evict the least recently used', () => {
    const bucketOf = createTokenBuckets({ perSec: 1, burst: 1 }, createManualClock(), 2)
    assert.deepEqual([bucketOf('a').tryTake(), bucketOf('a').tryTake(), bucketOf('b').tryTake()], [true, false, true])
    assert.equal(bucketOf('a').tryTake(), false)
    assert.equal(bucketOf('c').tryTake(), true)
    assert.equal(bucketOf('a').tryTake(), false, 'used after b')
    assert.equal(bucketOf('b').tryTake(), true, 'evicted, so full again')
  })
})
