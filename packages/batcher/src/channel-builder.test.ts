import assert from 'node:assert/strict'
import { openChannel } from '@keelson/derivation/codec'
import { type ExecutionPayload, encodeSignedTransaction, l2Time, type OriginTimeSec, signingDigest, toHash } from '@keelson/primitives'
import { createSeededRandom } from '@keelson/runtime'
import { compress, decompress } from '../../node/src/crypto/compression.ts'
import { createNativeCrypto } from '../../node/src/crypto/native-crypto.ts'
import type { BatchBlock } from './batch-block.ts'
import { type ChannelBuilder, type ChannelFormat, createChannelBuilder } from './channel-builder.ts'

const crypto = createNativeCrypto()
const KEY = new Uint8Array(32).fill(7)
const CHAIN = { genesisTimestampSec: 0, blockTimeSec: 2, chainId: 84532n }
const FORMAT: ChannelFormat = {
  batches: 'span',
  compression: { algorithm: 'brotli', level: 9 },
  targetBytes: 20_000,
  growth: null,
  maxRawBytes: 10_000_000,
  maxBlocksPerSpanBatch: 1000,
}
const hash = (n: number) => toHash(new Uint8Array(32).map((_, i) => (n >> (8 * (i % 4))) & 255))

function createBlocks(seed: number) {
  const random = createSeededRandom(seed)
  let nonce = 0n
  const transaction = (): ExecutionPayload['transactions'][number] => {
    const unsigned = {
      type: 2,
      chainId: CHAIN.chainId,
      nonce: nonce++,
      maxPriorityFeePerGasWei: 1_000_000n,
      maxFeePerGasWei: 1_000_000_000n,
      gasLimit: 21_000n,
      to: random.bytes(20),
      valueWei: BigInt(Math.floor(random.next() * 1e15)),
      data: random.next() < 0.5 ? new Uint8Array(0) : random.bytes(Math.floor(random.next() * 300)),
      accessList: [],
    } as const
    return encodeSignedTransaction(unsigned, crypto.sign(signingDigest(unsigned), KEY)).raw
  }
  return (number: number, count: number): BatchBlock => {
    const transactions = Array.from({ length: count }, transaction)
    const epoch = { hash: hash(5), number: 5 }
    const timestampSec = l2Time(number * 2)
    return {
      ref: { hash: hash(number), number, parentHash: hash(number - 1), timestampSec, l1Origin: epoch, sequenceNumber: number },
      input: { parentHash: hash(number - 1), epoch, timestampSec, transactions, sequenceNumber: number },
      originTime: 0 as OriginTimeSec,
      rawBytes: 90 + transactions.reduce((sum, tx) => sum + tx.length + 4, 0),
    }
  }
}

async function fill(builder: ChannelBuilder, blockAt: (number: number, count: number) => BatchBlock, perBlock: number) {
  for (let number = 1; ; number++) {
    const over = await builder.add(blockAt(number, perBlock))
    if (over !== null) return { over, last: number }
  }
}

describe('channel builder', () => {
  for (const batches of ['span', 'singular'] as const) {
    for (const [what, perBlock, least] of [
      ['small blocks', 1, 0.985],
      ['middling blocks', 5, 0.93],
    ] as const) {
      it(`fills a channel of ${what} up to the last block that fits, and never over: ${batches}`, async () => {
        let ratio = 1
        for (let seed = 1; seed <= 2; seed++) {
          const builder = createChannelBuilder({ ...FORMAT, batches }, 1, CHAIN, { compress }, ratio)
          const { over, last } = await fill(builder, createBlocks(seed), perBlock)
          const { channel } = await builder.finish()
          assert.ok(channel.length <= FORMAT.targetBytes, `${channel.length}`)
          assert.ok(channel.length >= least * FORMAT.targetBytes, `${channel.length}`)
          assert.ok(builder.compressions <= 12, `${builder.compressions} compressions`)
          const numbers = [...builder.blocks, ...over].map(({ ref }) => ref.number)
          assert.deepEqual(
            numbers,
            Array.from({ length: last }, (_, i) => i + 1),
          )
          ratio = channel.length / builder.rawBytes
        }
      })
    }
  }

  it('reports its content correctly', async () => {
    const builder = createChannelBuilder(FORMAT, 1, CHAIN, { compress }, 1)
    await fill(builder, createBlocks(9), 2)
    const opened = openChannel(
      (await builder.finish()).channel,
      { maxRlpBytesPerChannel: 1e7, maxSpanBatchElements: 1e7, brotliChannels: true },
      { decompress },
    )
    assert.ok(opened.ok)
    const first = opened.batches.next()
    assert.ok(first.kind === 'batch' && first.batch.kind === 'span')
    assert.equal(first.batch.layout.blockCount, builder.blocks.length)
    assert.equal(opened.batches.next().kind, 'end')
  })

  it('accepts a single block that is larger than a channel', async () => {
    const blockAt = createBlocks(3)
    const alone = createChannelBuilder(FORMAT, 1, CHAIN, { compress }, 1)
    assert.deepEqual(await alone.add(blockAt(1, 200)), [])
    assert.ok((await alone.finish()).channel.length > FORMAT.targetBytes)
    const second = createChannelBuilder(FORMAT, 1, CHAIN, { compress }, 1)
    assert.equal(await second.add(blockAt(1, 1)), null)
    assert.deepEqual(
      (await second.add(blockAt(2, 200)))?.map(({ ref }) => ref.number),
      [2],
    )
    assert.equal(second.blocks.length, 1)
  })

  it('grows by whole frames while large blocks would leave much of them empty, and not beyond its limit', async () => {
    const growth = { stepBytes: 20_000, maxBytes: 120_000 }
    const builder = createChannelBuilder({ ...FORMAT, growth }, 1, CHAIN, { compress }, 1)
    const { over } = await fill(builder, createBlocks(7), 75)
    const { channel } = await builder.finish()
    const frames = Math.ceil(channel.length / FORMAT.targetBytes)
    assert.ok(frames > 1 && frames <= 6, `${frames} frames`)
    assert.ok(channel.length >= 0.9 * frames * FORMAT.targetBytes, `${channel.length} bytes in ${frames} frames`)
    assert.ok(over.length <= 1)
    const bounded = createChannelBuilder({ ...FORMAT, growth: { stepBytes: 20_000, maxBytes: 20_000 } }, 1, CHAIN, { compress }, 1)
    await fill(bounded, createBlocks(7), 75)
    assert.equal(bounded.blocks.length, 1)
  })

  it('returns the blocks that do not fit when it finishes', async () => {
    const builder = createChannelBuilder(FORMAT, 1, CHAIN, { compress }, 0.01)
    const blockAt = createBlocks(6)
    for (let number = 1; number <= 40; number++) assert.equal(await builder.add(blockAt(number, 5)), null)
    const { channel, over } = await builder.finish()
    assert.ok(channel.length <= FORMAT.targetBytes && channel.length > 0.9 * FORMAT.targetBytes, `${channel.length}`)
    assert.ok(over.length > 10)
    assert.deepEqual(over[0]?.ref.number, builder.blocks.length + 1)
    assert.deepEqual(await builder.finish(), { channel, over: [] })
  })

  it('keeps to the limit before compression, however well blocks compress', async () => {
    const builder = createChannelBuilder({ ...FORMAT, maxRawBytes: 9_000 }, 1, CHAIN, { compress }, 0.01)
    const { over } = await fill(builder, createBlocks(4), 0)
    assert.equal(builder.blocks.length, 100)
    assert.equal(over.length, 1)
  })

  it('tolerates a wrong expected ratio', async () => {
    for (const ratio of [0.15, 1]) {
      const builder = createChannelBuilder(FORMAT, 1, CHAIN, { compress }, ratio)
      await fill(builder, createBlocks(5), 1)
      const { length } = (await builder.finish()).channel
      assert.ok(length <= FORMAT.targetBytes && length > 0.9 * FORMAT.targetBytes, `${length} from ratio ${ratio}`)
    }
  })
})
