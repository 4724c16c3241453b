import assert from 'node:assert/strict'
import { createManualClock } from '@keelson/runtime'
import { createThreadClock, ownThreadId, threadTimeMs } from './thread-time.ts'

describe('the clock of a thread', () => {
  it('does not advance while the thread waits for a processor', async () => {
    const wall = createManualClock(1_000)
    let ranMs = 20
    const clock = createThreadClock(wall, () => ranMs)
    await wall.advance(60_000)
    assert.equal(clock.monotonicMs(), 20)
    await wall.advance(100)
    ranMs += 30
    assert.equal(clock.monotonicMs(), 50)
  })

  it('counts all time if the time of the thread is unknown', async () => {
    const wall = createManualClock(1_000)
    const clock = createThreadClock(wall, () => threadTimeMs(null))
    await wall.advance(60_000)
    assert.equal(clock.monotonicMs(), 61_000)
  })

  if (process.platform === 'linux')
    it('reads the processor time of this thread', () => {
      assert.ok((threadTimeMs(ownThreadId()) as number) > 0)
      assert.equal(threadTimeMs(0), null)
    })
})
