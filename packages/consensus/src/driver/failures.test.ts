import assert from 'node:assert/strict'
import { createManualClock, createSilentLogger } from '@keelson/runtime'
import { createDegradedStates, type DegradedName } from '../degraded-states.ts'
import { ConsensusError } from '../errors.ts'
import { createFailures } from './failures.ts'
import { ResetSchedule } from './reset/reset-schedule.ts'

describe('failures of a step', () => {
  it('does not blame the execution client when the sync start is not found, because L1 may be the cause', () => {
    const clock = createManualClock()
    const states = createDegradedStates(clock, createSilentLogger())
    const entered: DegradedName[] = []
    const degraded: typeof states = {
      ...states,
      enter(name, ...rest) {
        entered.push(name)
        states.enter(name, ...rest)
      },
    }
    const failures = createFailures({
      clock,
      degraded,
      metrics: { derivationError: () => undefined },
      resets: new ResetSchedule(clock, degraded),
    })
    failures.stepFailed(new ConsensusError('consensus/l1-unavailable', 'temporary', 'L1 has no block 0'), false)
    assert.deepEqual(entered, ['sync-start'])
    failures.stepFailed(new ConsensusError('consensus/engine-unavailable', 'temporary', 'refused'), false)
    assert.deepEqual(entered, ['sync-start', 'engine'])
    failures.stepSucceeded()
    assert.deepEqual(degraded.list(), [])
  })
})
