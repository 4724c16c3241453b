import assert from 'node:assert/strict'
import { toHash } from '@keelson/primitives'
import { createTestContext } from '../../../../test/support/stage-context.ts'
import { compress, decompressPrefix } from '../../../node/src/crypto/compression.ts'
import type { WireBatch } from '../codec/batch.ts'
import { encodeChannel } from '../codec/channel-out.ts'
import { createSpanBatch } from '../codec/span-batch.ts'
import { createChannelReader } from './channel-reader.ts'
import { AGAIN, ORIGIN_EXHAUSTED, type Stage } from './stage.ts'

const hash = toHash(`0x${'a1'.repeat(32)}`)
const singular = (timestampSec: number): WireBatch => ({
  kind: 'singular',
  batch: { parentHash: hash, epoch: { hash, number: 7 }, timestampSec, transactions: [] },
})
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
  const stage = createChannelReader(context, source, { decompressPrefix })
  return {
    context,
    stage,
    async times(): Promise<number[]> {
      const out: number[] = []
      for (;;) {
        const pulled = await stage.pull()
        if (pulled.kind === 'origin-exhausted') return out
        if (pulled.kind === 'item' && pulled.item.kind === 'singular') out.push(pulled.item.batch.timestampSec)
        if (pulled.kind === 'item' && pulled.item.kind === 'span') out.push(...pulled.item.batch.blocks.map((block) => block.timestampSec))
      }
    },
  }
}

describe('channel reader', () => {
  it('gives the batches of one channel after the other', async () => {
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

  it('goes on with the next channel after one it cannot read', async () => {
    const { times, context } = reader(Uint8Array.of(3), channel(singular(1)).subarray(0, 5), new Uint8Array(0), channel(singular(2)))
    assert.deepEqual(await times(), [2])
    assert.deepEqual(context.reasons, ['channel-version-unknown', 'channel-corrupt', 'channel-version-unknown'])
  })

  describe('a span batch whose parts do not fit', () => {
    const good = createSpanBatch(
      [
        { parentHash: hash, epoch: { hash, number: 0 }, timestampSec: 10010, transactions: [], sequenceNumber: 1 },
        { parentHash: hash, epoch: { hash, number: 1 }, timestampSec: 10012, transactions: [], sequenceNumber: 0 },
      ],
      {
        genesisTimestampSec: 10000,
        blockTimeSec: 2,
        chainId: 901n,
      },
    )
    const damaged = () => channel({ kind: 'span', batch: { ...good, l1OriginNumber: 0n } }, singular(5))

    it('is dropped alone before Holocene. derivation.md#batch-format', async () => {
      const { times, context } = readerUnder({ strictOrdering: false }, damaged(), channel(singular(6)))
      assert.deepEqual(await times(), [5, 6])
      assert.deepEqual(context.reasons, ['batch-malformed'])
    })

    it('takes the rest of its channel along from Holocene on. holocene/derivation.md#fast-channel-invalidation', async () => {
      const { times, context } = readerUnder({ strictOrdering: true }, damaged(), channel(singular(6)))
      assert.deepEqual(await times(), [6])
      assert.deepEqual(context.reasons, ['batch-malformed', 'channel-flushed'])
    })
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

  it('says when it only moved inside', async () => {
    const { stage } = reader(Uint8Array.of(3))
    assert.deepEqual(await stage.pull(), AGAIN)
    assert.deepEqual(await stage.pull(), ORIGIN_EXHAUSTED)
  })

  it('a channel that decompresses to nothing leaves a reason behind', async () => {
    const read = reader(compress('zlib', new Uint8Array(0)), channel(singular(4)))
    assert.deepEqual(await read.times(), [4])
    assert.deepEqual(read.context.reasons, ['channel-corrupt'])
  })
})
