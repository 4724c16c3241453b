import assert from 'node:assert/strict'
import type { ForkTimes } from '@keelson/chainspec'
import { bytesToHex, concatBytes, type ExecutionPayload, keccak256, utf8ToBytes } from '@keelson/primitives'
import fc from 'fast-check'
import { createDerivationWorld, type DerivationWorld, forksUpTo } from '../../../../test/support/derivation-world.ts'
import { compress } from '../../../node/src/crypto/compression.ts'
import type { WireBatch } from '../codec/batch/batch.ts'
import { encodeChannel, splitIntoFrames } from '../codec/channel/channel-out.ts'
import { encodeBatcherTransaction, type Frame } from '../codec/channel/frame.ts'
import { l2BlockRefOf } from '../codec/payload.ts'

const RUNS = { numRuns: 15 }

function batchOf(world: DerivationWorld, payload: ExecutionPayload): WireBatch {
  return {
    kind: 'singular',
    batch: {
      parentHash: payload.parentHash,
      epoch: l2BlockRefOf(payload, world.config.genesis).l1Origin,
      timestampSec: payload.timestampSec,
      transactions: payload.transactions.filter((tx) => tx[0] !== 0x7e),
    },
  }
}

async function framesOf(world: DerivationWorld, channelCount: number, frameBytes: number): Promise<Frame[]> {
  world.l1.mine(3)
  const frames: Frame[] = []
  for (let i = 0; i < channelCount; i++) {
    const batches = (await world.sequence(2, 1)).map((payload) => batchOf(world, payload))
    const id = bytesToHex(keccak256(utf8ToBytes(`channel ${i}`)).subarray(0, 16)) as Frame['channelId']
    frames.push(...splitIntoFrames(id, encodeChannel(batches, i % 2 === 0 ? 'brotli' : 'zlib', { compress }), frameBytes))
  }
  return frames
}

async function deriveAll(world: DerivationWorld, transactions: readonly Uint8Array[], perBlock: number): Promise<void> {
  transactions.forEach((data, i) => {
    world.submitter.sendRaw(data)
    if (i % perBlock === perBlock - 1) world.l1.mine(1)
  })
  world.l1.mine(1)
  await world.derive()
}

const fresh = (forks?: ForkTimes) => createDerivationWorld({ sequencingWindowL1Blocks: 50, ...(forks === undefined ? {} : { forks }) })
const garbage = fc.uint8Array({ maxLength: 60 })

describe('derivation, whatever L1 holds', () => {
  it('finds the blocks among frames in any order, repeated, between garbage, before Holocene', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 60, max: 300 }),
        fc.integer({ min: 1, max: 7 }),
        fc.infiniteStream(fc.nat()),
        fc.array(garbage, { maxLength: 5 }),
        async (frameBytes, perBlock, order, noise) => {
          const world = fresh(forksUpTo('granite'))
          const frames = await framesOf(world, 2, frameBytes)
          const keys = frames.map(() => order.next().value ?? 0)
          const shuffled = frames.map((frame, i) => ({ frame, key: keys[i] as number })).sort((a, b) => a.key - b.key)
          const repeated = [...shuffled, ...shuffled.slice(0, 2)].map(({ frame }) => encodeBatcherTransaction([frame]))
          const transactions = repeated.flatMap((data, i) => [noise[i % 5] ?? new Uint8Array(0), data])
          await deriveAll(world, transactions, perBlock)
          assert.deepEqual(world.derived.hashes, world.sequenced.hashes)
        },
      ),
      RUNS,
    )
  })

  it('finds the blocks among frames in order, between garbage, from Holocene on', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 60, max: 300 }),
        fc.integer({ min: 1, max: 7 }),
        fc.array(garbage, { maxLength: 5 }),
        async (frameBytes, perBlock, noise) => {
          const world = fresh()
          const frames = await framesOf(world, 3, frameBytes)
          const transactions = frames.flatMap((frame, i) => [noise[i % 5] ?? new Uint8Array(0), encodeBatcherTransaction([frame])])
          await deriveAll(world, transactions, perBlock)
          assert.deepEqual(world.derived.hashes, world.sequenced.hashes)
        },
      ),
      RUNS,
    )
  })

  it('keeps its rules whatever byte is damaged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 255 }), fc.boolean(), async (where, flip, strict) => {
        const world = strict ? fresh() : fresh(forksUpTo('granite'))
        const transactions = (await framesOf(world, 1, 300)).map((frame) => encodeBatcherTransaction([frame]))
        let at = where % concatBytes(...transactions).length
        const damaged = transactions.map((data) => {
          const copy = data.slice()
          if (at >= 0 && at < copy.length) copy[at] = (copy[at] as number) ^ flip
          at -= copy.length
          return copy
        })
        await deriveAll(world, damaged, 1)
        let before = l2BlockRefOf(world.derived.block(0), world.config.genesis)
        for (let number = 1; number <= world.safe().number; number++) {
          const payload = world.derived.block(number)
          const ref = l2BlockRefOf(payload, world.config.genesis)
          assert.equal(ref.timestampSec, before.timestampSec + 2)
          assert.ok(ref.l1Origin.number === before.l1Origin.number || ref.l1Origin.number === before.l1Origin.number + 1)
          assert.equal(ref.sequenceNumber, ref.l1Origin.number === before.l1Origin.number ? before.sequenceNumber + 1 : 0)
          assert.deepEqual(world.l1.block(ref.l1Origin.number)?.ref.hash, ref.l1Origin.hash)
          assert.ok(payload.transactions.slice(1).every((tx) => tx.length > 0 && tx[0] !== 0x7e))
          before = ref
        }
        world.l1.mine(60)
        await world.derive()
        assert.ok(world.safe().number > 2)
        // Damage that is not detected changes a transaction; otherwise an empty block replaces the lost block.
        const bothCame = [1, 2].every((number) => world.derived.block(number).transactions.length > 1)
        assert.ok(bothCame || world.drops.length > 0)
      }),
      {
        numRuns: 40,
        examples: [
          [24, 1, false],
          [1829092523, 1, false],
        ],
      },
    )
  })
})
