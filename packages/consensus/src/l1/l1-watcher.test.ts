import assert from 'node:assert/strict'
import { createManualClock, type ManualClock } from '@keelson/runtime'
import { createFakeL1, type FakeL1 } from '../../../../test/support/fake-l1.ts'
import { createRecordingLogger, type RecordingLogger } from '../../../../test/support/recording-logger.ts'
import { createDegradedStates, type DegradedStates } from '../driver/degraded-states.ts'
import type { DriverInput } from '../driver/driver-api.ts'
import { createL1Watcher, type L1Watcher } from './l1-watcher.ts'

describe('watching L1', () => {
  let l1: FakeL1
  /** When set, L1 answers as a node that stands at this height. */
  let lagAt: number | null
  let inputs: DriverInput[]
  let log: RecordingLogger
  let watcher: L1Watcher
  let clock: ManualClock
  let degraded: DegradedStates
  /** When set, what becomes of a question. */
  let trouble: (() => Promise<never>) | null

  beforeEach(() => {
    l1 = createFakeL1({ genesisTimestampSec: 1_800_000_000 })
    lagAt = null
    trouble = null
    inputs = []
    log = createRecordingLogger()
    const reader: FakeL1['reader'] = {
      ...l1.reader,
      blockRef: (at) => {
        if (trouble !== null) return trouble()
        if (lagAt === null) return l1.reader.blockRef(at)
        if (typeof at === 'number' && at > lagAt) return Promise.resolve(null)
        return l1.reader.blockRef(at === 'latest' ? lagAt : at)
      },
    }
    clock = createManualClock()
    degraded = createDegradedStates(clock, log)
    watcher = createL1Watcher({ l1: reader, submit: (input) => inputs.push(input), degraded, clock, log })
  })
  const kinds = () => inputs.map(({ kind }) => kind)
  const looks = async (count: number) => {
    for (let i = 0; i < count; i++) {
      l1.mine()
      await watcher.step()
    }
    inputs = []
  }
  const look = async () => {
    inputs = []
    await watcher.step()
    return inputs.find(({ kind }) => kind === 'l1-reorg')
  }

  it('says after 10 s that an L1 which hangs does not answer, before the request fails, and counts from when it was asked', async () => {
    await watcher.step()
    await clock.advance(500)
    let fail: (error: Error) => void = () => undefined
    trouble = () =>
      new Promise((_, reject) => {
        fail = reject
      })
    const first = watcher.step()
    await clock.advance(9_900)
    assert.deepEqual(degraded.list(), [])
    await clock.advance(200)
    assert.deepEqual(
      degraded.list().map(({ what, sinceMs }) => [what, clock.nowMs() - sinceMs]),
      [['L1 does not answer', 10_100]],
    )
    await clock.advance(51_900)
    fail(new Error('timeout'))
    assert.equal(await first, false)
    const second = watcher.step()
    await clock.advance(50_000)
    fail(new Error('timeout'))
    await second
    trouble = null
    assert.equal(await watcher.step(), true)
    assert.deepEqual(degraded.list(), [])
    assert.deepEqual(
      log.matching('L1 does not answer').map(({ message, fields }) => [message, fields.afterMs]),
      [
        ['L1 does not answer', undefined],
        ['over: L1 does not answer', 112_000],
      ],
    )
  })

  it('hands over each head once, its labels before it', async () => {
    l1.mine(3)
    await watcher.step()
    await watcher.step()
    assert.equal(kinds().filter((kind) => kind === 'l1-head').length, 1)
    assert.equal(kinds().at(-1), 'l1-head')
  })

  for (const depth of [1, 2, 7]) {
    it(`notices a reorg ${depth} deep as soon as L1 shows it, lower, level or higher, and says so once`, async () => {
      for (const newBlocks of [1, depth, depth + 1]) {
        await looks(10)
        const before = l1.head
        l1.reorg(depth, { newBlocks })
        const found = await look()
        assert.deepEqual(found, { kind: 'l1-reorg', lastCommon: before.number - depth, head: l1.head })
        assert.equal(kinds().at(-1), 'l1-head')
        assert.equal(await look(), undefined)
      }
      const lines = log.lines.map(({ message }) => message)
      assert.equal(lines.length, 3)
      if (depth > 1) assert.match(lines[0] ?? '', /^L1 went back from \d+ to \d+: blocks after \d+ are replaced$/)
      assert.match(lines[2] ?? '', /^L1 replaced its blocks after \d+$/)
    })
  }

  it('notices a reorg among blocks it did not look at', async () => {
    await looks(4)
    l1.reorg(2, { newBlocks: 9 })
    assert.deepEqual(await look(), { kind: 'l1-reorg', lastCommon: 2, head: l1.head })
  })

  it('takes a known lower head for a node that lags, and goes on when it is over', async () => {
    await looks(8)
    lagAt = 6
    for (let i = 0; i < 2; i++) await watcher.step()
    lagAt = null
    await watcher.step()
    assert.deepEqual(kinds(), [])
    assert.deepEqual(log.lines, [])
  })

  it('says once that L1 went back when it stays there, and that its blocks are replaced when others come', async () => {
    await looks(8)
    l1.reorg(3, { newBlocks: 0 })
    for (let i = 0; i < 6; i++) await watcher.step()
    assert.deepEqual(
      log.lines.map(({ message }) => message),
      ['L1 went back from 8 to 5'],
    )
    assert.deepEqual(kinds(), ['l1-head'])
    l1.mine()
    assert.deepEqual(await look(), { kind: 'l1-reorg', lastCommon: 5, head: l1.head })
  })

  it('says when L1 does not answer, and when it does again', async () => {
    l1.unreachable = true
    assert.equal(await watcher.step(), false)
    assert.equal(await watcher.step(), false)
    l1.unreachable = false
    assert.equal(await watcher.step(), true)
    assert.deepEqual(
      log.lines.map(({ message }) => message),
      ['L1 does not answer', 'over: L1 does not answer'],
    )
  })
})
