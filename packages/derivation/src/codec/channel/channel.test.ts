import assert from 'node:assert/strict'
import { deflateSync } from 'node:zlib'
import { concatBytes, rlpEncode, toHash } from '@keelson/primitives'
import fc from 'fast-check'
import { compress, decompress } from '../../../../node/src/crypto/compression.ts'
import { encodeBatch, unpackBatch, type WireBatch } from '../batch/batch.ts'
import { channelAlgorithm, openChannel } from './channel-in.ts'
import { encodeBatches, encodeChannel, splitIntoFrames } from './channel-out.ts'
import { FRAME_OVERHEAD_BYTES } from './frame.ts'

const RULES = { maxRlpBytesPerChannel: 10_000_000, maxSpanBatchElements: 1000, brotliChannels: true }
const hash = toHash(`0x${'a1'.repeat(32)}`)
const ID = '0x000102030405060708090a0b0c0d0e0f'

function singular(timestampSec: number, transactions: readonly Uint8Array[] = []): WireBatch {
  return { kind: 'singular', batch: { parentHash: hash, epoch: { hash, number: 7 }, timestampSec, transactions } }
}

function read(data: Uint8Array, rules = RULES): { batches: WireBatch[]; end: string } {
  const opened = openChannel(data, rules, { decompress })
  if (!opened.ok) return { batches: [], end: opened.reason }
  const batches: WireBatch[] = []
  for (;;) {
    const next = opened.batches.next()
    if (next.kind === 'again') continue
    if (next.kind === 'batch') batches.push(unpackBatch(next.batch))
    else return { batches, end: next.kind === 'end' ? 'end' : next.reason }
  }
}

const zlib = (stream: Uint8Array) => new Uint8Array(deflateSync(stream))

describe('channel', () => {
  for (const algorithm of ['zlib', 'brotli'] as const) {
    it(`is encoded and decoded with ${algorithm}`, () => {
      const batches = [singular(1), singular(2, [Uint8Array.of(2, 0xc0)]), singular(3)]
      assert.deepEqual(read(encodeChannel(batches, algorithm, { compress })), { batches, end: 'end' })
    })
  }

  it('states its compression in the first byte', () => {
    for (const first of [0x78, 0x58, 0x08, 0x0f, 0x1f, 0xff]) assert.equal(channelAlgorithm(first), 'zlib')
    assert.equal(channelAlgorithm(1), 'brotli')
    for (const first of [0, 2, 0x11, 0x80]) assert.equal(channelAlgorithm(first), null)
    assert.equal(read(Uint8Array.of(2, 1, 1)).end, 'channel-version-unknown')
    assert.equal(read(new Uint8Array(0)).end, 'channel-version-unknown')
  })

  it('accepts brotli only under rules that allow it', () => {
    const channel = encodeChannel([singular(1)], 'brotli', { compress })
    assert.equal(read(channel, { ...RULES, brotliChannels: false }).end, 'channel-brotli-too-early')
  })

  it('returns the batches before a corrupt or truncated end', () => {
    const many = Array.from({ length: 50 }, (_, i) => singular(i, [Uint8Array.from({ length: 40 }, (_, at) => (at * i * 37) & 0xff)]))
    const channel = encodeChannel(many, 'zlib', { compress })
    const cut = read(channel.subarray(0, channel.length - 100))
    assert.ok(cut.batches.length > 10 && cut.batches.length < 50, `${cut.batches.length} batches`)
    assert.deepEqual(cut.batches, many.slice(0, cut.batches.length))
    assert.notEqual(cut.end, 'end')
    const withoutTrailer = read(channel.subarray(0, channel.length - 4))
    assert.deepEqual(withoutTrailer.batches, many)
  })

  it('is truncated at the limit of decompressed bytes, and a batch that ends there counts', () => {
    const batches = [singular(1), singular(2)]
    const stream = encodeBatches(batches)
    const first = rlpEncode(encodeBatch(singular(1))).length
    const channel = encodeChannel(batches, 'zlib', { compress })
    assert.deepEqual(read(channel, { ...RULES, maxRlpBytesPerChannel: stream.length }).batches, batches)
    assert.deepEqual(read(channel, { ...RULES, maxRlpBytesPerChannel: stream.length - 1 }).batches, [singular(1)])
    assert.deepEqual(read(channel, { ...RULES, maxRlpBytesPerChannel: first }), { batches: [singular(1)], end: 'channel-too-long' })
  })

  it('ends at a batch that has an unknown version, is empty or is no string', () => {
    const good = rlpEncode(encodeBatch(singular(1)))
    for (const bad of [rlpEncode(Uint8Array.of(2, 0xc0)), rlpEncode(new Uint8Array(0)), rlpEncode([Uint8Array.of(1)])]) {
      assert.deepEqual(read(zlib(concatBytes(good, bad, good))), { batches: [singular(1)], end: 'batch-malformed' })
    }
  })

  it('rejects a list in place of a batch without decoding its ten million items', () => {
    const list = new Uint8Array(10_000_005)
    list.set([0xfb, 10_000_000 >>> 24, (10_000_000 >> 16) & 0xff, (10_000_000 >> 8) & 0xff, 10_000_000 & 0xff])
    const opened = openChannel(zlib(list), RULES, {
      // biome-ignore lint/correctness/useYield: it needs one step
      *decompress() {
        return { output: list, end: 'complete' }
      },
    })
    assert.ok(opened.ok)
    assert.deepEqual(opened.batches.next(), {
      kind: 'malformed',
      reason: 'batch-malformed',
      message: 'expected a batch as an RLP string, got a list',
    })
    assert.equal(opened.batches.remainingBytes, list.length)
  })

  it('ignores bytes after a singular batch, but rejects a wrong number of fields', () => {
    const wire = (content: Uint8Array) => zlib(rlpEncode(concatBytes(Uint8Array.of(0), content)))
    const whole = encodeBatch(singular(1)).subarray(1)
    assert.deepEqual(read(wire(concatBytes(whole, Uint8Array.of(1, 2)))).batches, [singular(1)])
    assert.equal(read(wire(rlpEncode([new Uint8Array(32), 1, new Uint8Array(32), 1]))).end, 'batch-malformed')
    assert.equal(read(wire(rlpEncode([new Uint8Array(32), 1, new Uint8Array(32), 1, [], []]))).end, 'batch-malformed')
  })

  it('is split into frames that join to the same channel', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), fc.integer({ min: FRAME_OVERHEAD_BYTES + 1, max: 200 }), (channel, size) => {
        const frames = splitIntoFrames(ID, channel, size)
        assert.deepEqual(concatBytes(...frames.map((frame) => frame.data)), channel)
        assert.ok(frames.every((frame, i) => frame.number === i && frame.isLast === (i === frames.length - 1)))
        assert.ok(frames.every((frame) => frame.data.length + FRAME_OVERHEAD_BYTES <= size))
      }),
    )
  })

  it('rejects frames without room for data, and more frames than can be numbered', () => {
    assert.throws(() => splitIntoFrames(ID, Uint8Array.of(1), FRAME_OVERHEAD_BYTES), { code: 'codec/frame' })
    assert.throws(() => splitIntoFrames(ID, new Uint8Array(65_537), FRAME_OVERHEAD_BYTES + 1), { code: 'codec/frame' })
    assert.equal(splitIntoFrames(ID, new Uint8Array(65_536), FRAME_OVERHEAD_BYTES + 1).length, 65_536)
  })
})
