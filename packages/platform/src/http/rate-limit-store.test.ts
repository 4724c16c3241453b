import assert from 'node:assert/strict'
import { createManualClock } from '@keelson/runtime'
import fc from 'fast-check'
import { createMemoryRateLimits } from './rate-limit-store.ts'

describe('rate limits', () => {
  it('allow the limit at once, and at most twice that in any window', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.record({ waitMs: fc.integer({ min: 0, max: 4_000 }), burst: fc.integer({ min: 1, max: 30 }) }), { maxLength: 20 }),
        async (requests, steps) => {
          const clock = createManualClock(1_000_000)
          const limits = createMemoryRateLimits(clock)
          const limit = { requests, windowMs: 10_000 }
          const allowedAt: number[] = []
          for (const { waitMs, burst } of steps) {
            await clock.advance(waitMs)
            for (let i = 0; i < burst; i++) {
              const verdict = await limits.take('key', limit)
              if (verdict.allowed) allowedAt.push(clock.nowMs())
              else assert.ok(verdict.retryAfterMs > 0 && verdict.retryAfterMs <= limit.windowMs && verdict.remaining === 0)
            }
          }
          assert.ok(steps.length === 0 || allowedAt.length >= Math.min(requests, steps[0]?.burst ?? 0))
          for (const from of allowedAt) {
            assert.ok(allowedAt.filter((at) => at >= from && at < from + limit.windowMs).length <= 2 * requests)
          }
        },
      ),
      { numRuns: 60 },
    )
  })

  it('allow the next request exactly at the announced time', async () => {
    const clock = createManualClock(5_000)
    const limits = createMemoryRateLimits(clock)
    const limit = { requests: 3, windowMs: 1_000 }
    const remaining = [await limits.take('a', limit), await limits.take('a', limit), await limits.take('a', limit)].map((v) => v.remaining)
    assert.deepEqual(remaining, [2, 1, 0])
    const { allowed, retryAfterMs } = await limits.take('a', limit)
    assert.equal(allowed, false)
    assert.equal((await limits.take('b', limit)).allowed, true)
    await clock.advance(retryAfterMs - 1)
    assert.equal((await limits.take('a', limit)).allowed, false)
    await clock.advance(1)
    assert.equal((await limits.take('a', limit)).allowed, true)
    await limits.giveBack('a', limit)
    assert.equal((await limits.take('a', limit)).allowed, true)
    assert.deepEqual([await limits.isCounted('a'), await limits.isCounted('c')], [true, false])
    await limits.forget('a')
    assert.equal(await limits.isCounted('a'), false)
    assert.equal((await limits.take('a', limit)).remaining, 2)
    await clock.advance(1_000)
    assert.equal(await limits.isCounted('a'), false)
  })

  it('count several requests together or not at all, and give them back together', async () => {
    const limits = createMemoryRateLimits(createManualClock(5_000))
    const limit = { requests: 5, windowMs: 1_000 }
    assert.equal((await limits.take('a', limit, 3)).remaining, 2)
    const { allowed, retryAfterMs } = await limits.take('a', limit, 4)
    assert.deepEqual([allowed, retryAfterMs], [false, 400])
    assert.equal((await limits.take('a', limit, 2)).remaining, 0)
    await limits.giveBack('a', limit, 4)
    assert.equal((await limits.take('a', limit)).remaining, 3)
  })
})
