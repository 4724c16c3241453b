import assert from 'node:assert/strict'
import { createManualClock } from '@keelson/runtime'
import { createSharedTime } from './shared-time.ts'

describe('the time that calls share', () => {
  it('is charged once in total, by the calls under way', async () => {
    const clock = createManualClock()
    const time = createSharedTime(clock)
    const alone = time.begin()
    await clock.advance(100)
    const others = [time.begin(), time.begin(), time.begin()]
    await clock.advance(400)
    assert.equal(alone(), 100 + 400 / 4)
    await clock.advance(300)
    for (const end of others) assert.equal(end(), 400 / 4 + 300 / 3)
    await clock.advance(1_000)
    assert.equal(time.begin()(), 0, 'nothing is charged for an idle time')
  })
})
