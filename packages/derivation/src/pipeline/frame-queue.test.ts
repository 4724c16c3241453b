import assert from 'node:assert/strict'
import { createTestContext, type TestContext } from '../../../../test/support/stage-context.ts'
import { encodeBatcherTransaction, type Frame } from '../codec/channel/frame.ts'
import { createFrameQueue } from './frame-queue.ts'
import { ORIGIN_EXHAUSTED, type Stage } from './stage.ts'

function frames(text: string): Frame[] {
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => ({
      channelId: `0x${(word[0] as string).toLowerCase().repeat(32)}`,
      number: Number.parseInt(word.slice(1), 10),
      data: new Uint8Array(0),
      isLast: word.endsWith('!'),
    }))
}

const name = (frame: Frame) => `${frame.channelId.slice(2, 3).toUpperCase()}${frame.number}${frame.isLast ? '!' : ''}`

function source(...items: Uint8Array[]): Stage<Uint8Array> {
  return {
    async pull() {
      const item = items.shift()
      return item === undefined ? ORIGIN_EXHAUSTED : { kind: 'item', item }
    },
  }
}

async function read(context: TestContext, ...items: Uint8Array[]): Promise<string> {
  const queue = createFrameQueue(context, source(...items))
  const out: string[] = []
  for (;;) {
    const pulled = await queue.pull()
    if (pulled.kind === 'item') out.push(name(pulled.item))
    if (pulled.kind === 'origin-exhausted') return out.join(' ')
  }
}

const strict = (text: string) => {
  const context = createTestContext({ strictOrdering: true })
  return read(context, encodeBatcherTransaction(frames(text))).then((kept) => ({ kept, reasons: context.reasons }))
}

describe('frame queue', () => {
  it('returns the maximum number of frames of a transaction in order', async () => {
    const count = 65_536
    const all = Array.from({ length: count }, (_, number) => ({ ...(frames('A0')[0] as Frame), number }))
    for (const strictOrdering of [true, false]) {
      const given = await read(createTestContext({ strictOrdering }), encodeBatcherTransaction(all))
      assert.equal(given, all.map(name).join(' '))
    }
  })

  it('returns the frames of one transaction after the other', async () => {
    const context = createTestContext({ strictOrdering: false })
    assert.equal(await read(context, encodeBatcherTransaction(frames('A1 B0')), encodeBatcherTransaction(frames('A0!'))), 'A1 B0 A0!')
    assert.deepEqual(context.reasons, [])
  })

  it('drops a whole transaction for one bad frame, and continues', async () => {
    const context = createTestContext({ strictOrdering: false })
    const bad = encodeBatcherTransaction(frames('A0 A1!'))
    bad[bad.length - 1] = 2
    assert.equal(await read(context, bad, encodeBatcherTransaction(frames('B0!'))), 'B0!')
    assert.deepEqual(context.reasons, ['frame-malformed'])
  })

  it('rejects an empty transaction, an unknown version and a version without frames', async () => {
    const context = createTestContext({ strictOrdering: false })
    assert.equal(await read(context, new Uint8Array(0), Uint8Array.of(1, 0), Uint8Array.of(0)), '')
    assert.deepEqual(context.reasons, ['frame-malformed', 'frame-malformed', 'frame-malformed'])
  })

  // Columns: title, frames, kept frames, drop reasons. holocene/derivation.md#frame-queue
  const cases: readonly (readonly [string, string, string, readonly string[]])[] = [
    ['keeps a channel in order', 'A0 A1 A2!', 'A0 A1 A2!', []],
    ['keeps one channel after another', 'A0! B0 B1!', 'A0! B0 B1!', []],
    ['drops a frame that skips one', 'A0 A2', 'A0', ['frame-out-of-order']],
    ['drops a repeated frame', 'A0 A1 A1', 'A0 A1', ['frame-out-of-order']],
    ['drops a first frame repeated within its channel', 'A0 A0 A1!', 'A0 A1!', ['frame-out-of-order']],
    ['drops what follows a closing frame', 'A0! A1', 'A0!', ['frame-out-of-order']],
    ['drops a non-first frame of another channel', 'A0! B1', 'A0!', ['frame-out-of-order']],
    ['drops a non-first frame of another channel inside an open one', 'A0 B1 A1!', 'A0 A1!', ['frame-out-of-order']],
    ['drops an open channel when another begins', 'A0 A1 B0 B1!', 'B0 B1!', ['frame-channel-unclosed', 'frame-channel-unclosed']],
    ['keeps a closed channel when the one after it stays open', 'B0! A0 B1', 'B0! A0', ['frame-out-of-order']],
    [
      'does not open a closed channel again, also not behind an open one',
      'A0! B0 A0!',
      'A0!',
      ['frame-channel-unclosed', 'frame-out-of-order'],
    ],
    // kona drops all three frames (optimism issue 22833); op-node drops only the open channel's
    ['drops only the open channel when its id was closed before', 'A0! B0! A0 C0!', 'A0! B0! C0!', ['frame-channel-unclosed']],
    ['drops a second channel of the same id', 'A0! A0!', 'A0!', ['frame-out-of-order']],
    [
      'drops all frames of an open channel, also its continuation',
      'A3 A4 B0! A5',
      'B0!',
      ['frame-channel-unclosed', 'frame-channel-unclosed', 'frame-out-of-order'],
    ],
    ['continues its channel after one frame out of order', 'A0 A2 A1 A2!', 'A0 A1 A2!', ['frame-out-of-order']],
    ['keeps a closing first frame', 'A0!', 'A0!', []],
    ['keeps frame 0 after frame 65535 of its channel: 16-bit numbers wrap', 'A65535 A0!', 'A65535 A0!', []],
    ['drops frame 0 after frame 65534', 'A65534 A0!', 'A65534', ['frame-out-of-order']],
    ['keeps an open channel at the end, for the next transaction', 'A0! B0 B1', 'A0! B0 B1', []],
    ['drops a continuation of an earlier channel', 'A0! B0! A1', 'A0! B0!', ['frame-out-of-order']],
    ['accepts a continuation first, for the channel being read', 'A3 A4!', 'A3 A4!', []],
    ['drops a continuation when a channel begins before it closes', 'A3 B0!', 'B0!', ['frame-channel-unclosed']],
  ]
  for (const [title, input, kept, reasons] of cases) {
    it(`in strict order: ${title}`, async () => {
      assert.deepEqual(await strict(input), { kept, reasons })
    })
  }

  it('in strict order: judges each transaction by itself', async () => {
    const context = createTestContext({ strictOrdering: true })
    assert.equal(await read(context, encodeBatcherTransaction(frames('A0 A1')), encodeBatcherTransaction(frames('A3 B0'))), 'A0 A1 B0')
    assert.deepEqual(context.reasons, ['frame-channel-unclosed'])
  })

  it('keeps every valid frame before strict order', async () => {
    const context = createTestContext({ strictOrdering: false })
    assert.equal(await read(context, encodeBatcherTransaction(frames('A2! A0 A0 B1 A1 B0!'))), 'A2! A0 A0 B1 A1 B0!')
    assert.deepEqual(context.reasons, [])
  })

  it('reports the frames that it drops when the rules change', async () => {
    const context = createTestContext({ strictOrdering: false })
    const queue = createFrameQueue(context, source(encodeBatcherTransaction(frames('A0 A1!'))))
    await queue.pull()
    queue.discard()
    assert.deepEqual(await queue.pull(), ORIGIN_EXHAUSTED)
    assert.deepEqual(context.reasons, ['fork-activated'])
  })
})
