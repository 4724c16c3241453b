import assert from 'node:assert/strict'
import { createManualClock, createMetrics } from '@keelson/runtime'
import { createRecordingLogger } from '../../../test/support/recording-logger.ts'
import { createDegradedStates, DEGRADED_NAMES, registerDegradedMetric } from './degraded-states.ts'

describe('degraded states', () => {
  it('have a metric each, which is 1 while the state lasts', async () => {
    const metrics = createMetrics('node')
    const states = createDegradedStates(createManualClock(), createRecordingLogger())
    registerDegradedMetric(metrics, states)
    const shown = async (value: number) =>
      [...(await metrics.render()).text.matchAll(/^node_degraded\{state="([^"]+)"\} (\d)$/gm)]
        .filter((m) => Number(m[2]) === value)
        .map((m) => m[1])
    assert.deepEqual(await shown(0), [...DEGRADED_NAMES])
    for (const name of DEGRADED_NAMES) states.enter(name, name, 'why', 'remedy')
    assert.deepEqual(await shown(1), [...DEGRADED_NAMES])
    states.leave('forked')
    assert.deepEqual(await shown(0), ['forked'])
  })

  it('log one line at the start and one at the end', async () => {
    const clock = createManualClock(5_000)
    const log = createRecordingLogger()
    const states = createDegradedStates(clock, log)
    states.enter('l1', 'L1 does not answer', 'connection refused', 'check it')
    await clock.advance(1_000)
    states.enter('l1', 'L1 does not answer', 'timeout', 'check it')
    assert.equal(log.lines.length, 1)
    assert.deepEqual(states.list(), [{ name: 'l1', what: 'L1 does not answer', sinceMs: 5_000, why: 'timeout', remedy: 'check it' }])
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
