import assert from 'node:assert/strict'
import { concatBytes, rlpEncode, toHash } from '@keelson/primitives'
import { createTestContext } from '../../../../test/support/stage-context.ts'
import { compress, decompress } from '../../../node/src/crypto/compression.ts'
import { encodeBatch, type WireBatch } from '../codec/batch/batch.ts'
import { encodeUvarint } from '../codec/bytes/uvarint.ts'
import { encodeBatches, encodeChannel } from '../codec/channel/channel-out.ts'
import { createSpanBatch } from '../codec/span-batch/span-batch.ts'
import { SCANNED_PER_STEP } from '../codec/span-batch/span-batch-layout.ts'
import { createChannelReader } from './channel-reader.ts'
import { AGAIN, ORIGIN_EXHAUSTED, type Stage } from './stage.ts'

const hash = toHash(`0x${'a1'.repeat(32)}`)
const singular = (timestampSec: number): WireBatch => ({
  kind: 'singular',
  batch: { parentHash: hash, epoch: { hash, number: 7 }, timestampSec, transactions: [] },
})
const LEGACY = rlpEncode([0, 1, 21_000, new Uint8Array(20).fill(9), 1, new Uint8Array(0), 27, 1, 1])
const channel = (...batches: WireBatch[]) => encodeChannel(batches, 'zlib', { compress })

function reader(...channels: Uint8Array[]) {
  return readerUnder({}, ...channels)
}

function readerUnder(rules: Parameters<typeof createTestContext>[0], ...channels: Uint8Array[]) {
  const context = createTestContext(rules)
  const source: Stage<Uint8Array> = {
    async pull() {
      const item = channels.shift()
      return item === undefined ? ORIGIN_EXHAUSTED : { kind: 'item', item }
    },
  }
  const stage = createChannelReader(context, source, { decompress })
  return {
    context,
    stage,
    async times(): Promise<number[]> {
      const out: number[] = []
      for (;;) {
        const pulled = await stage.pull()
        if (pulled.kind === 'origin-exhausted') return out
        if (pulled.kind === 'item' && pulled.item.kind === 'singular') out.push(pulled.item.batch.timestampSec)
        if (pulled.kind === 'item' && pulled.item.kind === 'span')
          out.push(...[...pulled.item.batch.blocks].map((block) => block.timestampSec))
      }
    },
  }
}

describe('channel reader', () => {
  it('returns the batches of one channel after the other', async () => {
    const span = createSpanBatch(
      [{ parentHash: hash, epoch: { hash, number: 7 }, timestampSec: 10010, transactions: [], sequenceNumber: 1 }],
      {
        genesisTimestampSec: 10000,
        blockTimeSec: 2,
        chainId: 901n,
      },
    )
    const { times, context } = reader(channel(singular(1), singular(2)), channel({ kind: 'span', batch: span }, singular(3)))
    assert.deepEqual(await times(), [1, 2, 10010, 3])
    assert.deepEqual(context.reasons, [])
  })

  it('continues with the next channel after an unreadable one', async () => {
    const { times, context } = reader(Uint8Array.of(3), channel(singular(1)).subarray(0, 5), new Uint8Array(0), channel(singular(2)))
    assert.deepEqual(await times(), [2])
    assert.deepEqual(context.reasons, ['channel-version-unknown', 'channel-corrupt', 'channel-version-unknown'])
  })

  // op-node drops only such a span (channel_in_reader.go, optimism pull request 19502); kona ends the channel (batch/reader.rs)
  describe('a span batch whose fields form no transaction is dropped without its channel', () => {
    const good = createSpanBatch(
      [{ parentHash: hash, epoch: { hash, number: 7 }, timestampSec: 10010, transactions: [], sequenceNumber: 1 }],
      { genesisTimestampSec: 10000, blockTimeSec: 2, chainId: 901n },
    )
    const withData = (data: Uint8Array): WireBatch => ({
      kind: 'span',
      batch: {
        ...good,
        blockTxCounts: [1],
        txs: {
          contractCreationBits: Uint8Array.of(1),
          yParityBits: Uint8Array.of(0),
          signatures: [new Uint8Array(64)],
          tos: [],
          datas: [data],
          nonces: [0n],
          gases: [0n],
          protectedBits: data[0] === 0xc2 ? Uint8Array.of(0) : new Uint8Array(0),
        },
      },
    })
    const bad: readonly (readonly [title: string, data: Uint8Array])[] = [
      ['a list of two fields', Uint8Array.of(0xc2, 1, 2)],
      ['a list whose item runs past its end', Uint8Array.of(0xc2, 0x83, 0xff)],
      ['an unknown type', Uint8Array.of(5, 0xc0)],
    ]
    for (const strictOrdering of [false, true]) {
      for (const [title, data] of bad) {
        it(`${title}, ${strictOrdering ? 'from Holocene on' : 'before Holocene'}`, async () => {
          const { times, context } = readerUnder({ strictOrdering }, channel(withData(data), singular(5)), channel(singular(6)))
          assert.deepEqual(await times(), [5, 6])
          assert.deepEqual(context.reasons, ['batch-malformed'])
        })
      }
    }
  })

  it('an 11 kB channel that holds a span of ten million blocks takes many small steps and little memory', async () => {
    const count = 10_000_000
    const content = concatBytes(new Uint8Array(42), encodeUvarint(count), new Uint8Array(count / 8), new Uint8Array(count))
    const small = compress('zlib', rlpEncode(concatBytes(Uint8Array.of(1), content)))
    assert.ok(small.length < 12_000)
    const { stage, context } = reader(small, channel(singular(6)))
    const before = process.memoryUsage()
    let pulls = 1
    let pulled = await stage.pull()
    for (; pulled.kind === 'again'; pulls++) pulled = await stage.pull()
    assert.ok(pulled.kind === 'item' && pulled.item.kind === 'span')
    assert.equal(pulled.item.batch.blockCount, count)
    assert.ok(pulls >= count / SCANNED_PER_STEP, `${pulls} steps`)
    const after = process.memoryUsage()
    const grown = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers
    assert.ok(grown < 150_000_000, `${grown} bytes`)
    assert.deepEqual(context.reasons, [])
  })

  it('drops the span being checked when flushed or reset', async () => {
    for (const end of ['flush', 'reset'] as const) {
      const count = 10_000
      const many = createSpanBatch(
        [
          {
            parentHash: hash,
            epoch: { hash, number: 7 },
            timestampSec: 10010,
            transactions: new Array(count).fill(LEGACY),
            sequenceNumber: 1,
          },
        ],
        { genesisTimestampSec: 10000, blockTimeSec: 2, chainId: 901n },
      )
      const { stage, times } = reader(channel({ kind: 'span', batch: many }, singular(5)), channel(singular(6)))
      assert.deepEqual(await stage.pull(), AGAIN)
      stage[end]()
      assert.deepEqual(await times(), [6])
    }
  })

  it('skips the rest of a channel when flushed', async () => {
    const { stage, times, context } = reader(channel(singular(1), singular(2)), channel(singular(3)))
    assert.equal((await stage.pull()).kind, 'item')
    stage.flush()
    assert.deepEqual(await times(), [3])
    assert.deepEqual(context.reasons, ['channel-flushed'])
    stage.flush()
    assert.equal(context.reasons.length, 1)
  })

  it('reports internal progress', async () => {
    const { stage } = reader(Uint8Array.of(3))
    assert.deepEqual(await stage.pull(), AGAIN)
    assert.deepEqual(await stage.pull(), ORIGIN_EXHAUSTED)
  })

  it('reports a channel that decompresses to nothing', async () => {
    const read = reader(compress('zlib', new Uint8Array(0)), channel(singular(4)))
    assert.deepEqual(await read.times(), [4])
    assert.deepEqual(read.context.reasons, ['channel-corrupt'])
  })

  const FIRST_BYTES: readonly (readonly [first: number, rules: Parameters<typeof createTestContext>[0], reason: string])[] = [
    [0x00, {}, 'channel-version-unknown'],
    [0x02, {}, 'channel-version-unknown'],
    [0x07, {}, 'channel-version-unknown'],
    [0x09, {}, 'channel-version-unknown'],
    [0x0e, {}, 'channel-version-unknown'],
    [0x10, {}, 'channel-version-unknown'],
    [0x11, {}, 'channel-version-unknown'],
    [0x08, {}, 'channel-corrupt'],
    [0x0f, {}, 'channel-corrupt'],
    [0x78, {}, 'channel-corrupt'],
    [0xff, {}, 'channel-corrupt'],
    [0x01, { brotliChannels: false }, 'channel-brotli-too-early'],
    [0x01, { brotliChannels: true }, 'channel-corrupt'],
  ]
  for (const [first, rules, reason] of FIRST_BYTES) {
    it(`fjord/derivation.md#brotli-channel-compression: 0x${first.toString(16)}${rules?.brotliChannels === false ? ' before Fjord' : ''}: ${reason}`, async () => {
      const { times, context } = readerUnder(rules, Uint8Array.of(first, 0xff, 0xff, 0xff), channel(singular(2)))
      assert.deepEqual(await times(), [2])
      assert.deepEqual(context.reasons, [reason])
    })
  }

  // derivation.md#channel-format: only the first bytes up to the limit count
  const two = encodeBatches([singular(1), singular(2)])
  const one = encodeBatches([singular(1)]).length
  const LIMITS: readonly (readonly [title: string, limit: number, times: readonly number[], reasons: readonly string[]])[] = [
    ['above the size', two.length + 1, [1, 2], []],
    ['the size itself', two.length, [1, 2], []],
    ['one byte less, within the last batch', two.length - 1, [1], ['channel-too-long']],
    ['one byte into the second batch', one + 1, [1], ['channel-too-long']],
    ['the end of the first batch', one, [1], ['channel-too-long']],
    ['one byte less', one - 1, [], ['channel-too-long']],
  ]
  for (const algorithm of ['zlib', 'brotli'] as const) {
    for (const [title, maxRlpBytesPerChannel, times, reasons] of LIMITS) {
      it(`derivation.md#channel-format: ${algorithm}, the limit is ${title}`, async () => {
        const data = encodeChannel([singular(1), singular(2)], algorithm, { compress })
        const read = readerUnder({ maxRlpBytesPerChannel }, data, channel(singular(9)))
        const limited = maxRlpBytesPerChannel < encodeBatches([singular(9)]).length
        assert.deepEqual(await read.times(), limited ? times : [...times, 9])
        assert.deepEqual(read.context.reasons, limited ? [...reasons, 'channel-too-long'] : reasons)
      })
    }
  }

  const stream = compress('zlib', two)
  const TAILS: readonly (readonly [title: string, data: Uint8Array, times: readonly number[], reasons: readonly string[]])[] = [
    ['whole', stream, [1, 2], []],
    ['without its checksum', stream.subarray(0, -4), [1, 2], ['channel-corrupt']],
    ['with another checksum', flipped(stream, stream.length - 1), [1, 2], ['channel-corrupt']],
    ['with bytes behind it', concatBytes(stream, Uint8Array.of(1, 2, 3)), [1, 2], ['channel-trailing-bytes']],
    ['of the header alone', stream.subarray(0, 2), [], ['channel-corrupt']],
    ['of one byte', stream.subarray(0, 1), [], ['channel-corrupt']],
    [
      'with a byte between the batches',
      compress('zlib', concatBytes(two.subarray(0, one), Uint8Array.of(0), two.subarray(one))),
      [1],
      ['batch-malformed'],
    ],
    ['with a byte after the batches', compress('zlib', concatBytes(two, Uint8Array.of(0))), [1, 2], ['batch-malformed']],
    ['with a batch that is a list', compress('zlib', concatBytes(two, Uint8Array.of(0xc0))), [1, 2], ['batch-malformed']],
    ['with a string that is cut', compress('zlib', two.subarray(0, -1)), [1], ['batch-malformed']],
    [
      'with bytes inside a batch that it does not need',
      compress('zlib', rlpEncode(concatBytes(encodeBatch(singular(1)), new Uint8Array(2)))),
      [1],
      ['batch-trailing-bytes'],
    ],
  ]
  for (const [title, data, times, reasons] of TAILS) {
    it(`derivation.md#batch-format: a channel ${title}`, async () => {
      const read = reader(data, channel(singular(9)))
      assert.deepEqual(await read.times(), [...times, 9])
      assert.deepEqual(read.context.reasons, reasons)
    })
  }
})

function flipped(data: Uint8Array, at: number): Uint8Array {
  const copy = Uint8Array.from(data)
  copy[at] = (copy[at] as number) ^ 1
  return copy
}
