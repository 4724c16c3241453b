import assert from 'node:assert/strict'
import { createSpanBatch, encodeBatcherTransaction, encodeChannel, splitIntoFrames } from '@keelson/derivation/codec'
import { bigintToBytes, hexToBytes, type SignedTransaction, TX_FEE_MARKET, toAddress, toHash } from '@keelson/primitives'
import type { L1Block } from '../l1/l1-block.ts'
import { PostedChannels } from './posted-channels.ts'

const hashOf = (value: number) => toHash(bigintToBytes(BigInt(value) << 200n, 32))
const INBOX = toAddress(`0x${'42'.repeat(20)}`)
const OTHER = toAddress(`0x${'43'.repeat(20)}`)
const GENESIS_SEC = 1_000
const CHAIN = { genesisTimestampSec: GENESIS_SEC, blockTimeSec: 2, chainId: 5n }
const CONFIG = { batchInbox: INBOX, blockTimeSec: 2, genesis: { l2: { number: 0 }, l2TimestampSec: GENESIS_SEC } } as never
const STORED = { compress: (_: unknown, data: Uint8Array) => storedZlib(data) }

/** RFC 1950 and 1951: one stored block, and a checksum. */
function storedZlib(data: Uint8Array): Uint8Array {
  let [a, b] = [1, 0]
  for (const byte of data) {
    a = (a + byte) % 65_521
    b = (b + a) % 65_521
  }
  const { length } = data
  const head = [0x78, 0x01, 0x01, length & 255, length >> 8, ~length & 255, (~length >> 8) & 255]
  return Uint8Array.from([...head, ...data, b >> 8, b & 255, a >> 8, a & 255])
}

/** Three frames or so with blocks 11 to 13, whose origin is L1 block 2. */
function framesOf(originHash = hashOf(2)) {
  const batches = [11, 12, 13].map((number) => ({
    parentHash: hashOf(number - 1),
    epoch: { number: 2, hash: originHash },
    timestampSec: GENESIS_SEC + 2 * number,
    transactions: [] as never,
    sequenceNumber: number,
  }))
  const channel = encodeChannel([{ kind: 'span', batch: createSpanBatch(batches, CHAIN) }], 'zlib', STORED as never)
  return splitIntoFrames(`0x${'ab'.repeat(16)}`, channel, 60)
}

function openL1() {
  const blocks: L1Block[] = []
  const mine = (to: string, datas: readonly Uint8Array[], value = blocks.length) => {
    const transactions = datas.map((data) => ({ type: TX_FEE_MARKET, to: hexToBytes(to), data })) as unknown as SignedTransaction[]
    const parentHash = blocks.at(-1)?.hash ?? hashOf(1_000)
    blocks.push({ hash: hashOf(value), header: { number: blocks.length, parentHash }, transactions } as unknown as L1Block)
  }
  mine(INBOX, [])
  return {
    mine,
    blocks,
    get head() {
      return blocks.at(-1) as L1Block
    },
    block: (at: number | string) => blocks.find(({ hash, header }) => hash === at || header.number === at) ?? null,
    blobs: { find: () => null },
  }
}

describe('the channels on L1', () => {
  const datas = framesOf().map((frame) => encodeBatcherTransaction([frame]))

  it('are read when their last frame is there, once, with the blocks that they hold', () => {
    const l1 = openL1()
    const channels = new PostedChannels(l1 as never, CONFIG)
    assert.ok(datas.length > 1)
    l1.mine(INBOX, datas.slice(0, 1))
    l1.mine(OTHER, datas.slice(1))
    assert.deepEqual(channels.take(), [])
    l1.mine(INBOX, datas.slice(1))
    assert.deepEqual(channels.take(), [{ id: `0x${'ab'.repeat(16)}`, from: 11, to: 13, isOriginOnL1: true }])
    assert.deepEqual(channels.take(), [])
  })

  it('say when the origin of their last block is not on L1', () => {
    const l1 = openL1()
    const channels = new PostedChannels(l1 as never, CONFIG)
    l1.mine(INBOX, [])
    l1.mine(
      INBOX,
      framesOf(hashOf(99)).map((frame) => encodeBatcherTransaction([frame])),
    )
    assert.deepEqual(
      channels.take()?.map(({ isOriginOnL1 }) => isOriginOnL1),
      [false],
    )
  })

  it('are unknown after a reorg, once', () => {
    const l1 = openL1()
    const channels = new PostedChannels(l1 as never, CONFIG)
    l1.mine(INBOX, datas)
    channels.take()
    l1.blocks.pop()
    l1.mine(INBOX, datas, 77)
    assert.equal(channels.take(), null)
    assert.deepEqual(channels.take(), [])
  })
})
