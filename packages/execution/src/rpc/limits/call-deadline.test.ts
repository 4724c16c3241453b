import assert from 'node:assert/strict'
import { createSystemClock } from '@keelson/runtime'
import { createCallDeadline } from './call-deadline.ts'

describe('the deadline of a simulated call', () => {
  it('ends a call that takes too long', () => {
    let nowMs = 0
    const { hooks } = createCallDeadline({ ...createSystemClock(), monotonicMs: () => nowMs }, new AbortController().signal)
    nowMs = 4_999
    assert.equal(hooks.stop?.(), false)
    nowMs = 5_000
    assert.throws(() => hooks.stop?.(), { number: -32000, message: 'execution timeout' })
  })

  it('ends the call of a disconnected caller', () => {
    const caller = new AbortController()
    const { hooks } = createCallDeadline(createSystemClock(), caller.signal)
    caller.abort(new RangeError('gone'))
    assert.throws(() => hooks.stop?.(), /gone/)
  })
})
