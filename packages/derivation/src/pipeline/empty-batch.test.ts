import assert from 'node:assert/strict'
import { type L2BlockRef, l2Time, toHash } from '@keelson/primitives'
import { l1Block, testConfig } from '../../../../test/support/stage-context.ts'
import { assertWindowFits, nextEmptyBatch } from './empty-batch.ts'
import type { OriginWindow } from './origin-window.ts'

// L1 blocks every 12 s from 10000, L2 blocks every 2 s, sequencing window 10 L1 blocks
const config = testConfig()

function parentAt(timestampSec: number, epoch: number): L2BlockRef {
  const hash = toHash(`0x${'99'.repeat(32)}`)
  const l1Origin = { number: epoch, hash: l1Block(epoch).hash }
  return { hash, number: 5, parentHash: hash, timestampSec: l2Time(timestampSec), l1Origin, sequenceNumber: 5 }
}

function windowFrom(first: number, origin: number, known = origin): OriginWindow & { dropped: number } {
  const window = {
    blocks: Array.from({ length: known - first + 1 }, (_, i) => l1Block(first + i)),
    origin: l1Block(origin),
    dropped: 0,
    update: () => undefined,
    dropFirst: () => {
      window.dropped++
    },
    reset: () => undefined,
  }
  return window
}

interface Row {
  readonly title: string
  readonly parent: L2BlockRef
  readonly first: number
  readonly origin: number
  readonly outOfData: boolean
  readonly expected: readonly [timestampSec: number, epoch: number] | 'next epoch' | null
}

const inEpoch0 = parentAt(10008, 0)
const endOfEpoch0 = parentAt(10010, 0)
const ROWS: readonly Row[] = [
  // "completed buffering of all batches that can be read from the L1 block at height epoch.number + sequence_window_size"
  { title: 'one L1 block before the last of the window', parent: inEpoch0, first: 0, origin: 9, outOfData: true, expected: null },
  {
    title: 'in the last L1 block of the window, not read to its end',
    parent: inEpoch0,
    first: 0,
    origin: 10,
    outOfData: false,
    expected: null,
  },
  {
    title: 'in the last L1 block of the window, read to its end',
    parent: inEpoch0,
    first: 0,
    origin: 10,
    outOfData: true,
    expected: [10010, 0],
  },
  {
    title: 'after the window, whatever is still to be read',
    parent: inEpoch0,
    first: 0,
    origin: 11,
    outOfData: false,
    expected: [10010, 0],
  },
  // "next_timestamp < next_epoch.time: the current L1 origin is repeated"; L1 block 1 is at 10012
  { title: 'one block before the next epoch', parent: parentAt(10009, 0), first: 0, origin: 10, outOfData: true, expected: [10011, 0] },
  { title: 'at the time of the next epoch', parent: endOfEpoch0, first: 0, origin: 10, outOfData: true, expected: 'next epoch' },
  { title: 'past the time of the next epoch', parent: parentAt(10011, 0), first: 0, origin: 10, outOfData: true, expected: 'next epoch' },
  // "If the batch is the first batch of the epoch, that epoch is used", however late
  { title: 'first block of its epoch, in time', parent: endOfEpoch0, first: 1, origin: 11, outOfData: true, expected: [10012, 1] },
  {
    title: 'first block of its epoch, at the time of the one after',
    parent: parentAt(10022, 0),
    first: 1,
    origin: 11,
    outOfData: true,
    expected: [10024, 1],
  },
  {
    title: 'first block of its epoch, long past it',
    parent: parentAt(10100, 0),
    first: 1,
    origin: 11,
    outOfData: true,
    expected: [10102, 1],
  },
  { title: 'first block of an epoch whose window is not over', parent: endOfEpoch0, first: 1, origin: 10, outOfData: true, expected: null },
]

describe('empty batches. derivation.md#batch-queue', () => {
  for (const { title, parent, first, origin, outOfData, expected } of ROWS) {
    it(`${title}: ${expected === null ? 'none' : typeof expected === 'string' ? expected : `at ${expected[0]} in epoch ${expected[1]}`}`, () => {
      const window = windowFrom(first, origin)
      const batch = nextEmptyBatch(config, window, parent, outOfData)
      assert.equal(window.dropped, expected === 'next epoch' ? 1 : 0)
      if (expected === null || expected === 'next epoch') {
        assert.equal(batch, null)
        return
      }
      const [timestampSec, number] = expected
      assert.deepEqual(batch, { parentHash: parent.hash, epoch: { number, hash: l1Block(number).hash }, timestampSec, transactions: [] })
    })
  }

  it('needs to know the next epoch', () => {
    assert.equal(nextEmptyBatch(config, windowFrom(0, 20, 0), inEpoch0, true), null)
    assert.equal(nextEmptyBatch(config, windowFrom(1, 20, 0), inEpoch0, true), null)
  })

  it('wants a window that begins at the epoch of the safe head or the next one', () => {
    assertWindowFits(windowFrom(0, 5), inEpoch0)
    assertWindowFits(windowFrom(1, 5), inEpoch0)
    const reset = { code: 'derivation/l2-parent-mismatch', severity: 'reset' }
    assert.throws(() => assertWindowFits(windowFrom(2, 5), inEpoch0), reset)
    assert.throws(() => assertWindowFits(windowFrom(0, 5), parentAt(10030, 1)), reset)
    assert.throws(() => assertWindowFits(windowFrom(1, 0), inEpoch0), reset)
    const otherL1 = { ...inEpoch0, l1Origin: { number: 0, hash: l1Block(0, 1).hash } }
    assert.throws(() => assertWindowFits(windowFrom(0, 5), otherL1), reset)
  })
})
