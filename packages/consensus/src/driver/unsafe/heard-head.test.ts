import assert from 'node:assert/strict'
import { createManualClock } from '@keelson/runtime'
import { createHeardHead } from './heard-head.ts'

describe('the highest block that was heard', () => {
  it('is not lowered by older blocks that fill a gap', () => {
    const heard = createHeardHead(createManualClock())
    assert.equal(heard.number, null)
    for (const number of [100, 98, 99]) heard.note(number)
    assert.equal(heard.number, 100)
    heard.note(101)
    assert.equal(heard.number, 101)
  })

  it('follows a reorg to a lower block after 30 s, and stays while nothing is heard', async () => {
    const clock = createManualClock()
    const heard = createHeardHead(clock)
    heard.note(100)
    await clock.advance(29_000)
    heard.note(95)
    assert.equal(heard.number, 100)
    await clock.advance(60_000)
    assert.equal(heard.number, 100)
    heard.note(96)
    assert.equal(heard.number, 96)
  })
})
