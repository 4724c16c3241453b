import assert from 'node:assert/strict'
import { createSystemClock } from '@keelson/runtime'
import { createCallPacer } from './call-pacer.ts'

describe('the pacer of a simulated call', () => {
  it('ends a call that takes too long and yields while it runs', async () => {
    let nowMs = 0
    const pacer = createCallPacer({ ...createSystemClock(), monotonicMs: () => nowMs }, new AbortController().signal)
    let turns = 0
    const endless = async () => {
      for (;;) {
        nowMs += 0.1
        const pause = pacer.hooks.pause?.() ?? null
        if (pause !== null) {
          turns++
          await pause
        }
      }
    }
    await assert.rejects(endless(), { number: -32000, message: 'execution timeout' })
    assert.ok(turns > 100, `others had ${turns} turns in 5 s`)
  })

  it('ends the call of a disconnected caller', () => {
    const caller = new AbortController()
    const pacer = createCallPacer(createSystemClock(), caller.signal)
    caller.abort(new RangeError('gone'))
    assert.throws(() => {
      for (let i = 0; i < 1_000; i++) pacer.hooks.pause?.()
    }, /gone/)
  })
})
