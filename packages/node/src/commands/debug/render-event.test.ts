import assert from 'node:assert/strict'
import { createInspectionCount, type InspectionEvent } from '@keelson/derivation'
import { toHash } from '@keelson/primitives'
import { renderSummary, toJsonLine, toTableLine } from './render-event.ts'

const transaction = toHash(`0x${'ab'.repeat(32)}`)
const channel = `0x${'cd'.repeat(16)}` as const
const EVENTS: readonly InspectionEvent[] = [
  {
    kind: 'transaction',
    l1Block: 7,
    index: 2,
    hash: transaction,
    from: null,
    fromBatcher: false,
    type: 2,
    carrier: 'calldata',
    blobs: 0,
    bytes: 0,
    frames: 0,
    dropped: 'batcher-tx-wrong-sender',
    unreadable: null,
  },
  { kind: 'frame', l1Block: 7, transaction, channel, number: 1, bytes: 33, last: true, dropped: null },
  {
    kind: 'channel',
    l1Block: 7,
    channel,
    state: 'complete',
    reason: null,
    openedAt: 6,
    frames: 2,
    compression: 'brotli',
    compressedBytes: 60,
    uncompressedBytes: 90,
    batches: 1,
  },
  {
    kind: 'batch',
    batch: 0,
    l1Block: 7,
    channel,
    type: 'span',
    fromL2Block: 10,
    l2Blocks: 3,
    transactions: 4,
    fromTimestamp: 100,
    toTimestamp: 104,
    fromEpoch: 5,
    toEpoch: 6,
    parent: '0x00',
    epochHash: '0x00',
  },
  { kind: 'verdict', batch: 0, l1Block: 7, verdict: 'undecided', reason: null, acceptedBlocks: 0, unchecked: ['parent-hash'] },
  { kind: 'verdict', batch: 0, l1Block: 8, verdict: 'drop', reason: 'batch-exceeds-drift', acceptedBlocks: 1, unchecked: [] },
  { kind: 'drop', l1Block: 8, stage: 'channel-reader', reason: 'channel-corrupt', details: { channel, bytes: 3n } },
]

describe('decode-batches output', () => {
  it('is one line of JSON a fact', () => {
    for (const event of EVENTS) {
      const line = toJsonLine(event)
      assert.equal(line.includes('\n'), false)
      assert.equal(JSON.parse(line).kind, event.kind)
    }
    assert.equal(JSON.parse(toJsonLine(EVENTS[6] as InspectionEvent)).details.bytes, '3')
  })

  it('is one line a fact for people, with the reason', () => {
    assert.deepEqual(
      EVENTS.map((event) => toTableLine(event).trim().replace(/ +/g, ' ')),
      [
        '7 transaction 0xabababab..abab from nobody, calldata, 0 bytes, 0 frames DROPPED batcher-tx-wrong-sender',
        '7 frame 0xcdcdcdcd..cdcd #1 last, 33 bytes',
        '7 channel 0xcdcdcdcd..cdcd complete, 2 frames since 6, brotli 60 to 90 bytes, 1 batch',
        '7 batch 0 span, L2 10-12, 4 transactions, time 100, epoch 5-6',
        '7 verdict 0 undecided, 0 blocks, not judged: parent-hash',
        '8 verdict 0 drop batch-exceeds-drift, 1 block',
        `8 drop channel-reader DROPPED channel-corrupt channel ${channel}, bytes 3`,
      ],
    )
  })

  it('ends with figures in which the last verdict on a batch counts', () => {
    const count = createInspectionCount()
    for (const event of EVENTS) count.add(event)
    const lines = renderSummary(count.summary(), { from: 7, to: 8 }).split('\n')
    assert.equal(lines[0], 'L1 blocks 7 to 8')
    assert.match(lines[2] as string, /1 complete, 0 dropped, 0 open; 60 bytes, 90 uncompressed/)
    assert.match(lines[4] as string, /verdicts +1 drop; 1 block accepted/)
    assert.match(lines[5] as string, /1 batcher-tx-wrong-sender, 1 batch-exceeds-drift, 1 channel-corrupt/)
  })
})
