import assert from 'node:assert/strict'
import { createManualClock } from './clock.ts'
import { createLogger } from './log.ts'
import { createProgressLog, createProgressMeter, progressText, timeLeftText } from './progress-meter.ts'

describe('a progress meter', () => {
  it('measures the rate of the last minute and the time left', async () => {
    const clock = createManualClock()
    const meter = createProgressMeter(clock)
    assert.deepEqual(meter.measure(0, 1_000), { perSec: null, leftSec: null })
    await clock.advance(10_000)
    assert.deepEqual(meter.measure(100, 1_000), { perSec: 10, leftSec: 90 })
    await clock.advance(60_000)
    // 60 steps in the last minute; the first ten seconds no longer count.
    assert.deepEqual(meter.measure(160, 1_000), { perSec: 1, leftSec: 840 })
    assert.deepEqual(meter.measure(160, null), { perSec: 1, leftSec: null })
  })

  it('begins again with another phase, and knows no rate while nothing moves', async () => {
    const clock = createManualClock()
    const meter = createProgressMeter(clock)
    meter.measure(500, 1_000)
    await clock.advance(10_000)
    assert.deepEqual(meter.measure(500, 1_000), { perSec: null, leftSec: null })
    assert.deepEqual(meter.measure(0, 50), { perSec: null, leftSec: null })
    await clock.advance(5_000)
    assert.deepEqual(meter.measure(10, 50), { perSec: 2, leftSec: 20 })
  })

  it('is shown as a sentence with what is known', () => {
    assert.equal(progressText('copy', 250, 2_000, { perSec: 40, leftSec: 43.75 }), 'copy: 12.5 % (250 of 2000), 40/s, 44 s left')
    assert.equal(progressText('copy', 250, null, { perSec: 2.5, leftSec: null }), 'copy: 250, 2.5/s')
    assert.equal(progressText('copy', 0, 0, { perSec: null, leftSec: null }), 'copy: 0')
    assert.deepEqual([9.2, 60, 200, 3_599.5, 18_180].map(timeLeftText), ['10 s', '1 min 0 s', '3 min 20 s', '1 h 0 min', '5 h 3 min'])
  })
})

describe('a progress log', () => {
  it('has a line every ten seconds with rate and time left, and none at the end', async () => {
    const clock = createManualClock()
    const lines: string[] = []
    const log = createLogger({ clock, format: 'human', sink: { terminal: false, write: (line) => lines.push(line) } })
    const progress = createProgressLog('deriving', clock, log)
    for (let second = 0; second <= 24; second++) {
      progress.note(second, 100, { stage: 'frames' })
      await clock.advance(1_000)
    }
    assert.equal(lines.length, 2)
    assert.match(lines[0] as string, /INFO .*deriving.*at=10.*of=100.*perSec=1.*left="?1 min 30 s"?.*stage=frames/)
    await clock.advance(20_000)
    progress.note(100, 100)
    assert.equal(lines.length, 2)
  })
})
