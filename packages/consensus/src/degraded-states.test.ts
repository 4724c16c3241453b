import assert from 'node:assert/strict'
import { createManualClock } from '@keelson/runtime'
import { createRecordingLogger } from '../../../test/support/recording-logger.ts'
import { createDegradedStates } from './degraded-states.ts'

describe('degraded states', () => {
  it('log one line at the start and one at the end', async () => {
    const clock = createManualClock(5_000)
    const log = createRecordingLogger()
    const states = createDegradedStates(clock, log)
    states.enter('l1', 'L1 does not answer', 'connection refused', 'check it')
    await clock.advance(1_000)
    states.enter('l1', 'L1 does not answer', 'timeout', 'check it')
    assert.equal(log.lines.length, 1)
    assert.deepEqual(states.list(), [{ what: 'L1 does not answer', sinceMs: 5_000, why: 'timeout', remedy: 'check it' }])
    states.leave('l1')
    states.leave('l1')
    assert.deepEqual(
      log.lines.map((line) => [line.level, line.message, line.fields.afterMs]),
      [
        ['warn', 'L1 does not answer', undefined],
        ['info', 'over: L1 does not answer', 1_000],
      ],
    )
  })
})
