import assert from 'node:assert/strict'
import { createManualClock } from './clock.ts'
import { createTokenBucket } from './token-bucket.ts'

describe('token bucket', () => {
  it('lets a burst pass and then the rate', async () => {
    const clock = createManualClock()
    const bucket = createTokenBucket({ perSec: 10, burst: 3 }, clock)
    assert.deepEqual([bucket.tryTake(), bucket.tryTake(), bucket.tryTake(), bucket.tryTake()], [true, true, true, false])
    await clock.advance(100)
    assert.deepEqual([bucket.tryTake(), bucket.tryTake()], [true, false])
    await clock.advance(10_000)
    assert.equal(bucket.tryTake(3), true)
    assert.equal(bucket.tryTake(), false)
  })

  it('accepts refunds up to the burst', async () => {
    const bucket = createTokenBucket({ perSec: 10, burst: 3 }, createManualClock())
    assert.equal(bucket.tryTake(3), true)
    bucket.putBack()
    assert.deepEqual([bucket.tryTake(), bucket.tryTake()], [true, false])
    bucket.putBack(5)
    assert.deepEqual([bucket.tryTake(3), bucket.tryTake()], [true, false])
  })

  it('serves waiters in order, also one that wants more than the burst', async () => {
    const clock = createManualClock()
    const bucket = createTokenBucket({ perSec: 10, burst: 2 }, clock)
    const served: string[] = []
    const waiters = [
      bucket.take(2).then(() => served.push('a')),
      bucket.take(5).then(() => served.push('b')),
      bucket.take(1).then(() => served.push('c')),
    ]
    await clock.advance(0)
    assert.deepEqual(served, ['a'])
    await clock.advance(200)
    assert.deepEqual(served, ['a', 'b'])
    await clock.advance(400)
    await Promise.all(waiters)
    assert.deepEqual(served, ['a', 'b', 'c'])
  })

  it('stops waiting when aborted, without blocking others', async () => {
    const clock = createManualClock()
    const bucket = createTokenBucket({ perSec: 1, burst: 1 }, clock)
    assert.ok(bucket.tryTake())
    const controller = new AbortController()
    const aborted = bucket.take(1, controller.signal)
    const next = bucket.take(1)
    await clock.advance(0)
    controller.abort(new Error('gone'))
    await assert.rejects(aborted, /gone/)
    await clock.advance(1000)
    await next
  })
})
