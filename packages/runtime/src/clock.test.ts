import assert from 'node:assert/strict'
import { createManualClock, createSystemClock } from './clock.ts'

describe('manual clock', () => {
  it('wakes sleepers in the order of their deadlines, each seeing its own time', async () => {
    const clock = createManualClock(1000)
    const woken: [string, number][] = []
    const sleeper = async (name: string, ms: number) => {
      await clock.sleep(ms)
      woken.push([name, clock.nowMs()])
    }
    const all = Promise.all([sleeper('c', 300), sleeper('a', 100), sleeper('b', 100)])
    assert.deepEqual(clock.sleepers, [1100, 1100, 1300])
    await clock.advance(299)
    assert.deepEqual(woken, [
      ['a', 1100],
      ['b', 1100],
    ])
    await clock.advance(1)
    await all
    assert.deepEqual(woken.at(-1), ['c', 1300])
  })

  it('lets a woken loop sleep again within the same advance', async () => {
    const clock = createManualClock()
    let rounds = 0
    const loop = async () => {
      while (rounds < 5) {
        await clock.sleep(10)
        rounds++
      }
    }
    const running = loop()
    await clock.advance(50)
    await running
    assert.equal(rounds, 5)
  })

  it('rejects an aborted sleeper with the reason and removes it', async () => {
    const clock = createManualClock()
    const controller = new AbortController()
    const sleeping = clock.sleep(10, controller.signal)
    const reason = new Error('enough')
    controller.abort(reason)
    await assert.rejects(sleeping, reason)
    assert.deepEqual(clock.sleepers, [])
    await assert.rejects(clock.sleep(1, AbortSignal.abort(reason)), reason)
  })

  it('refuses to go back', async () => {
    const clock = createManualClock(5)
    await assert.rejects(clock.advanceTo(4), RangeError)
  })
})

describe('system clock', () => {
  it('adds its offset and wakes after the time', async () => {
    const clock = createSystemClock({ offsetMs: -3_600_000 })
    const earliestMs = Date.now() - 3_600_000
    const beforeMs = clock.nowMs()
    const latestMs = Date.now() - 3_600_000
    assert.ok(beforeMs >= earliestMs && beforeMs <= latestMs, `${beforeMs} is not from ${earliestMs} to ${latestMs}`)
    await clock.sleep(2)
    assert.ok(clock.nowMs() >= beforeMs)
  })

  it('rejects when aborted, before and during the sleep', async () => {
    const clock = createSystemClock()
    const controller = new AbortController()
    const sleeping = clock.sleep(60_000, controller.signal)
    controller.abort(new Error('stop'))
    await assert.rejects(sleeping, /stop/)
    await assert.rejects(clock.sleep(0, controller.signal), /stop/)
  })
})
