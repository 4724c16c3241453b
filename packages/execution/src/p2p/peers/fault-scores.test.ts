import assert from 'node:assert/strict'
import { createManualClock } from '@keelson/runtime'
import { BAN_BELOW, createFaultScores } from './fault-scores.ts'

describe('the faults of peers', () => {
  const open = () => {
    const clock = createManualClock(1_800_000_000_000)
    return { clock, faults: createFaultScores(clock) }
  }

  it('are enough for a ban with one lie, or with twenty late responses', () => {
    const { faults } = open()
    faults.note('liar', 'invalid', 'a header that does not hash to what was asked for')
    assert.ok(faults.score('liar') < BAN_BELOW)
    assert.equal(faults.causeOf('liar')?.durationMs, 24 * 3_600_000)
    for (let i = 0; i < 19; i++) faults.note('slow', 'useless', 'no answer')
    assert.ok(faults.score('slow') > BAN_BELOW)
    faults.note('slow', 'useless', 'no answer')
    assert.ok(faults.score('slow') < BAN_BELOW)
  })

  it('fade', async () => {
    const { clock, faults } = open()
    faults.note('a', 'protocol', 'an unknown message')
    assert.equal(faults.score('a'), -50)
    await clock.advance(600_000)
    assert.equal(faults.score('a'), -25)
    assert.equal(faults.score('b'), 0)
  })

  it('are remembered of so many peers', () => {
    const { faults } = open()
    for (let i = 0; i < 1_025; i++) faults.note(`${i}`, 'useless', 'late')
    assert.equal(faults.causeOf('0'), null)
    assert.equal(faults.score('1024'), -5)
  })
})
