import assert from 'node:assert/strict'
import { type L1BlockRef, toHash } from '@keelson/primitives'
import { createManualClock, type ManualClock } from '@keelson/runtime'
import { createFakeL1, type FakeL1 } from '../../../../test/support/fake-l1.ts'
import { createRecordingLogger, type RecordingLogger } from '../../../../test/support/recording-logger.ts'
import { createDegradedStates, type DegradedStates } from '../degraded-states.ts'
import { type L1Change, L1View } from './l1-view.ts'
import { createL1Watcher, type L1Watcher } from './l1-watcher.ts'

function recordingView(l1: FakeL1['reader'], record: (change: L1Change) => void): Pick<L1View, 'head' | 'update'> {
  const view = new L1View({ l1, metrics: { l1: () => undefined }, walk: { end: async () => undefined }, onChange: () => undefined })
  return {
    get head() {
      return view.head
    },
    update(change) {
      record(change)
      view.update(change)
    },
  }
}

describe('watching L1', () => {
  let l1: FakeL1
  /** When set, L1 answers like a lagging node whose head is at this height. */
  let lagAt: number | null
  let inputs: L1Change[]
  let log: RecordingLogger
  let watcher: L1Watcher
  let clock: ManualClock
  let degraded: DegradedStates
  let refusals: string[]
  let claims: Map<unknown, L1BlockRef>
  let byNumber: L1BlockRef | null
  let latest: L1BlockRef | null
  let trouble: (() => Promise<never>) | null

  beforeEach(() => {
    l1 = createFakeL1({ genesisTimestampSec: 1_800_000_000 })
    lagAt = null
    trouble = null
    inputs = []
    refusals = []
    claims = new Map()
    byNumber = null
    latest = null
    log = createRecordingLogger()
    const reader: FakeL1['reader'] = {
      ...l1.reader,
      blockRef: (at) => {
        if (trouble !== null) return trouble()
        const claimed = claims.get(at)
        if (claimed !== undefined) return Promise.resolve(claimed)
        if (byNumber !== null && at === byNumber.number) return Promise.resolve(byNumber)
        if (latest !== null && at === 'latest') {
          const once = latest
          latest = null
          return Promise.resolve(once)
        }
        if (lagAt === null) return l1.reader.blockRef(at)
        if (typeof at === 'number' && at > lagAt) return Promise.resolve(null)
        return l1.reader.blockRef(at === 'latest' ? lagAt : at)
      },
    }
    clock = createManualClock()
    degraded = createDegradedStates(clock, log)
    const metrics = { l1LabelRefused: (...refusal: string[]) => void refusals.push(refusal.join(' ')) }
    watcher = createL1Watcher({
      l1: reader,
      view: recordingView(reader, (change) => inputs.push(change)),
      degraded,
      metrics,
      clock,
      log,
      allowFinalizedReorg: false,
    })
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

  it('reports a hanging L1 after 10 s, before the request fails, counted from the request', async () => {
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

  it('passes each head on once, after its labels', async () => {
    await looks(3)
    l1.setFinalized(2)
    l1.mine()
    await watcher.step()
    await watcher.step()
    assert.deepEqual(kinds(), ['l1-safe', 'l1-finalized', 'l1-head'])
  })

  for (const depth of [1, 2, 7]) {
    it(`detects a reorg of ${depth} blocks at once, at a lower, equal or higher height, and reports it once`, async () => {
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

  it('detects a reorg among blocks that it did not poll', async () => {
    await looks(4)
    l1.reorg(2, { newBlocks: 9 })
    assert.deepEqual(await look(), { kind: 'l1-reorg', lastCommon: 2, head: l1.head })
  })

  it('takes a known lower head for a lagging node, and continues after it', async () => {
    await looks(8)
    lagAt = 6
    for (let i = 0; i < 2; i++) await watcher.step()
    lagAt = null
    await watcher.step()
    assert.deepEqual(kinds(), [])
    assert.deepEqual(log.lines, [])
  })

  it('reports once that L1 went back, and that its blocks are replaced when others appear', async () => {
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

  describe('the safe and finalized labels of L1', () => {
    const finals = () => inputs.flatMap((input) => (input.kind === 'l1-finalized' ? [input.block.number] : []))
    const step = async () => {
      inputs = []
      await watcher.step()
      return finals()
    }
    const claim = (label: 'safe' | 'finalized', block: L1BlockRef) => claims.set(label, block)
    const farAhead = (number: number): L1BlockRef => ({
      number,
      hash: toHash(`0x${'fa'.repeat(32)}`),
      parentHash: toHash(`0x${'fb'.repeat(32)}`),
      timestampSec: 1_900_000_000,
    })
    beforeEach(async () => {
      l1.mine(40)
      l1.setSafe(20)
      l1.setFinalized(10)
      const found: number[] = []
      for (let i = 0; i < 3; i++) {
        found.push(...(await step()))
        l1.mine()
      }
      assert.deepEqual(found, [10])
    })

    it('are proven with few reads per head, none twice, without delaying the head', async () => {
      const reads: unknown[] = []
      const counting: FakeL1['reader'] = {
        ...l1.reader,
        blockRef: (at) => {
          if (typeof at === 'string' && at.startsWith('0x')) reads.push(at)
          return l1.reader.blockRef(at)
        },
      }
      const order: string[] = []
      const view = recordingView(counting, (change) => order.push(`${change.kind} after ${reads.length}`))
      const metrics = { l1LabelRefused: () => assert.fail('nothing is wrong') }
      const other = createL1Watcher({ l1: counting, view, degraded, metrics, clock, log, allowFinalizedReorg: false })
      const heads: number[] = []
      while (!order.some((line) => line.startsWith('l1-finalized'))) {
        l1.mine()
        const before = reads.length
        await other.step()
        heads.push(reads.length - before)
      }
      assert.ok(Math.max(...heads) <= 32, `${heads}`)
      assert.equal(new Set(reads).size, reads.length)
      assert.equal(order[0], 'l1-head after 0')
    })

    it('a finalized block far above the head is rejected and logged once', async () => {
      claim('finalized', farAhead(10_000_000))
      for (let i = 0; i < 3; i++) {
        l1.mine()
        assert.deepEqual(await step(), [])
      }
      assert.deepEqual(refusals, Array(3).fill('finalized above-head'))
      assert.deepEqual(
        degraded.list().map(({ what }) => what),
        ['the finalized block of L1 is rejected'],
      )
      assert.equal(log.matching('finalized block of L1 is rejected').length, 1)
      claims.clear()
      l1.mine()
      l1.setFinalized(12)
      assert.deepEqual(await step(), [12])
      assert.deepEqual(degraded.list(), [])
    })

    it('a finalized block above the safe one is rejected', async () => {
      l1.mine()
      claim('finalized', (await l1.reader.blockRef(25)) as L1BlockRef)
      assert.deepEqual(await step(), [])
      assert.deepEqual(refusals, ['finalized above-safe'])
    })

    it('a finalized block of another chain is rejected, even if L1 returns it by number', async () => {
      const liar = { ...farAhead(15), timestampSec: 1_800_000_060 }
      claim('finalized', liar)
      byNumber = liar
      l1.mine()
      assert.deepEqual(await step(), [])
      assert.deepEqual(refusals, ['finalized not-an-ancestor'])
    })

    it('a finalized block that moves back is not passed on, and a lagging node raises no alarm', async () => {
      l1.setFinalized(18)
      l1.mine()
      assert.deepEqual(await step(), [18])
      l1.setFinalized(12)
      l1.mine()
      assert.deepEqual(await step(), [])
      assert.deepEqual(refusals, ['finalized went-back'])
      assert.deepEqual(degraded.list(), [])
    })

    it('an L1 that replaces finalized blocks does not move finality', async () => {
      l1.reorg(35, { newBlocks: 40 })
      l1.setFinalized(20)
      assert.deepEqual(await step(), [])
      assert.deepEqual(refusals, ['finalized finalized-replaced'])
    })

    it('a safe block above the head is not passed on', async () => {
      claim('safe', farAhead(500))
      l1.mine()
      await step()
      assert.deepEqual(kinds(), ['l1-head'])
      assert.deepEqual(refusals, ['safe above-head'])
    })

    it('a finalized block that L1 reached between two reads waits for the next step', async () => {
      const lagging = l1.head
      l1.mine(2)
      latest = lagging
      claim('finalized', l1.head)
      claim('safe', l1.head)
      // L1 grows between the two reads
      assert.deepEqual(await step(), [])
      assert.deepEqual(refusals, [])
    })
  })

  it('reports when L1 stops answering and when it answers again', async () => {
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
