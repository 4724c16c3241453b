import assert from 'node:assert/strict'
import { createManualClock } from '@keelson/runtime'
import { createBackOff } from './back-off.ts'

describe('the back-off', () => {
  it('doubles from 100 ms to 10 s and restarts after a success', async () => {
    const clock = createManualClock()
    const backOff = createBackOff(clock)
    assert.equal(backOff.waiting, false)
    const delays: number[] = []
    for (let i = 0; i < 9; i++) {
      backOff.failed()
      delays.push((backOff.retryAtMs ?? 0) - clock.nowMs())
      assert.equal(backOff.waiting, true)
      await clock.advance(delays.at(-1) ?? 0)
      assert.equal(backOff.waiting, false)
    }
    assert.deepEqual(delays, [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000])
    backOff.succeeded()
    backOff.failed()
    assert.equal((backOff.retryAtMs ?? 0) - clock.nowMs(), 100)
  })
})
