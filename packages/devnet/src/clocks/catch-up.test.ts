import assert from 'node:assert/strict'
import { createManualClock } from '@keelson/runtime'
import type { JsonRpc } from '../screen/heads.ts'
import { type CatchUpEvent, createCatchUp } from './catch-up.ts'
import { catchUpTimes, createL1Clock } from './l1-clock.ts'

const PACE = { blockTimeSec: 4, maxCatchUpBlocks: 900 }

describe('L1 after a pause', () => {
  it('makes up for its blocks at their usual distance, and the next one in real time has that distance too', () => {
    const times = catchUpTimes(1_000, 1_141, PACE)
    assert.equal(times.length, 34)
    assert.deepEqual([times[0], times.at(-1)], [1_004, 1_136])
  })

  it('of months makes no more blocks than it may', () => {
    const now = 1_000 + 90 * 86_400
    const times = catchUpTimes(1_000, now, PACE)
    assert.ok(times.length <= 900 && times.length > 800, String(times.length))
    assert.ok((times.at(-1) as number) <= now - 4)
    assert.equal(new Set(times.map((time, i) => time - (times[i - 1] ?? 1_000))).size, 1)
  })

  it('of a few blocks needs nothing', () => {
    assert.deepEqual(catchUpTimes(1_000, 1_012, PACE), [])
    assert.deepEqual(catchUpTimes(1_000, 900, PACE), [])
  })

  it('mines them before it mines by the clock, once', async () => {
    const asked: string[] = []
    let headSec = 1_000
    let nextSec = 0
    const l1: JsonRpc = {
      async request(method, params) {
        if (method === 'eth_getBlockByNumber') return { timestamp: `0x${headSec.toString(16)}` }
        if (method === 'evm_setNextBlockTimestamp') nextSec = Number(params[0])
        if (method === 'evm_mine') headSec = nextSec
        asked.push(`${method} ${params.join()}`.trim())
        return null
      },
    }
    const clock = createL1Clock(l1, createManualClock(1_021_000), PACE)
    assert.equal(await clock.step(), null)
    const mined = [1_004, 1_008, 1_012, 1_016].flatMap((time) => [`evm_setNextBlockTimestamp ${time}`, 'evm_mine'])
    assert.deepEqual(asked, [...mined, 'evm_setTime 1021', 'evm_setIntervalMining 4'])
    asked.length = 0
    clock.started()
    await clock.step()
    assert.deepEqual(asked, ['evm_setTime 1021', 'evm_setIntervalMining 4'])
    asked.length = 0
    await clock.hold()
    await clock.step()
    assert.deepEqual(asked, ['evm_setIntervalMining 0'], 'no block while L1 dumps its state')
    asked.length = 0
    clock.resume()
    await clock.step()
    assert.deepEqual(asked, ['evm_setTime 1021', 'evm_setIntervalMining 4'])
  })
})

describe('L2 after a pause', () => {
  function create(blockMs: number) {
    const clock = createManualClock(10_000_000)
    const lines: string[] = []
    const events: CatchUpEvent[] = []
    let head = { number: 50, timestampSec: 10_000 - 141 }
    const catchUp = createCatchUp({
      head: async () => head,
      nowMs: clock.nowMs,
      clock,
      say: (line) => lines.push(line),
      report: (event) => events.push(event),
    })
    async function build(forMs: number): Promise<boolean> {
      let done = false
      for (let ms = 0; ms < forMs && !done; ms += blockMs) {
        await clock.advance(blockMs)
        head = { number: head.number + 1, timestampSec: head.timestampSec + 2 }
        done = await catchUp.look()
      }
      return done
    }
    return { catchUp, build, lines, events }
  }

  it('says that it catches up with real time, and when it has', async () => {
    const { catchUp, build, lines, events } = create(10)
    assert.equal(await catchUp.look(), false)
    assert.equal(await build(10_000), true)
    assert.match(
      lines[0] as string,
      /^catching up: block 50 is 141 s behind real time, .*--keep-clock continues at the time of the last stop/,
    )
    assert.match(lines[1] as string, /^caught up with real time at block 11\d: 6\d blocks in 0\.\d s$/)
    assert.deepEqual(
      events.map(({ event }) => event),
      ['catching-up', 'caught-up'],
    )
  })

  it('says every ten seconds how much is left while it takes longer', async () => {
    const { catchUp, build, lines } = create(1_000)
    await catchUp.look()
    await build(25_000)
    assert.equal(lines.length, 3)
    assert.match(lines[1] as string, /is 131 s behind real time, about 131 s left/)
  })

  it('that was no pause says nothing', async () => {
    const lines: string[] = []
    const clock = createManualClock(10_000_000)
    const head = async () => ({ number: 7, timestampSec: 9_995 })
    const catchUp = createCatchUp({ head, nowMs: clock.nowMs, clock, say: (line) => lines.push(line), report: () => undefined })
    assert.equal(await catchUp.wait(1_000, new AbortController().signal), true)
    assert.deepEqual(lines, [])
  })
})
