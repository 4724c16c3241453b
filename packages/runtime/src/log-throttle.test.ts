import assert from 'node:assert/strict'
import { createManualClock } from './clock.ts'
import { createLogThrottle } from './log-throttle.ts'

describe('log throttle', () => {
  it('writes once in ten seconds with the number of suppressed calls', async () => {
    const clock = createManualClock()
    const throttle = createLogThrottle(clock)
    const written: number[] = []
    for (let i = 0; i < 25; i++) {
      throttle((suppressed) => written.push(suppressed))
      await clock.advance(1000)
    }
    assert.deepEqual(written, [0, 9, 9])
  })
})
