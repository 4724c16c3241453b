import assert from 'node:assert/strict'
import { bytesToHex, keccak256, utf8ToBytes } from '@keelson/primitives'
import fc from 'fast-check'
import { batchesOf } from '../../../../test/support/batch-submitter.ts'
import { createDerivationWorld, type DerivationWorld, forksUpTo } from '../../../../test/support/derivation-world.ts'
import { compress } from '../../../node/src/crypto/compression.ts'
import { encodeBlob } from '../codec/blob.ts'
import { encodeChannel, splitIntoFrames } from '../codec/channel/channel-out.ts'
import { encodeBatcherTransaction, type Frame } from '../codec/channel/frame.ts'

const ERAS = [
  { fork: 'regolith', span: false, blobs: false, brotli: false },
  { fork: 'canyon', span: false, blobs: false, brotli: false },
  { fork: 'delta', span: true, blobs: false, brotli: false },
  { fork: 'ecotone', span: true, blobs: true, brotli: false },
  { fork: 'fjord', span: true, blobs: true, brotli: true },
  { fork: 'granite', span: true, blobs: true, brotli: true },
  { fork: 'holocene', span: true, blobs: true, brotli: true },
  { fork: 'isthmus', span: true, blobs: true, brotli: true },
  { fork: 'jovian', span: true, blobs: true, brotli: true },
] as const

const part = fc.record({
  blocks: fc.integer({ min: 1, max: 6 }),
  transactions: fc.integer({ min: 0, max: 3 }),
  span: fc.boolean(),
  brotli: fc.boolean(),
  blobs: fc.boolean(),
  frameBytes: fc.integer({ min: 24, max: 400 }),
  framesPerTransaction: fc.integer({ min: 1, max: 5 }),
  transactionsPerL1Block: fc.integer({ min: 1, max: 8 }),
})

const channelId = (name: string) => bytesToHex(keccak256(utf8ToBytes(name)).subarray(0, 16)) as Frame['channelId']

function post(world: DerivationWorld, data: Uint8Array, blobs: boolean): void {
  if (blobs) world.l1.send({ privateKey: world.batcherKey, to: world.config.batchInbox, blobs: [encodeBlob(data)] })
  else world.submitter.sendRaw(data)
}

describe('what a batcher writes', () => {
  for (const era of ERAS) {
    it(`${era.fork}: derives to exactly the blocks it was made of, however it is cut`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 4 }), async (parts) => {
          const world = createDerivationWorld({ forks: forksUpTo(era.fork) })
          world.l1.mine(2)
          for (const [i, how] of parts.entries()) {
            const blocks = await world.sequence(how.blocks, how.transactions)
            const batches = batchesOf(blocks, world.config, era.span && how.span ? 'span' : 'singular')
            const channel = encodeChannel(batches, era.brotli && how.brotli ? 'brotli' : 'zlib', { compress })
            const frames = splitIntoFrames(channelId(`part ${i}`), channel, how.frameBytes)
            for (let at = 0, sent = 0; at < frames.length; at += how.framesPerTransaction) {
              post(world, encodeBatcherTransaction(frames.slice(at, at + how.framesPerTransaction)), era.blobs && how.blobs)
              // The channel timeout is 50 L1 blocks.
              if (++sent % Math.max(how.transactionsPerL1Block, Math.ceil(frames.length / 40)) === 0) world.l1.mine(1)
            }
            world.l1.mine(1)
          }
          await world.derive()
          assert.deepEqual(world.derived.hashes, world.sequenced.hashes)
          assert.deepEqual(world.drops, [])
        }),
        { numRuns: 6 },
      )
    })
  }
})

interface Post {
  readonly channel: number
  readonly frame: number
  readonly garbage: Uint8Array | null
}

const posts = fc.array(
  fc.record({ channel: fc.nat({ max: 2 }), frame: fc.nat({ max: 2 }), garbage: fc.option(fc.uint8Array({ maxLength: 30 }), { freq: 6 }) }),
  { minLength: 3, maxLength: 24 },
)
const BLOCKS_PER_CHANNEL = 2
const FRAMES_PER_CHANNEL = 3

async function threeChannels(world: DerivationWorld): Promise<Frame[][]> {
  world.l1.mine(3)
  const channels: Frame[][] = []
  for (let i = 0; i < 3; i++) {
    const data = encodeChannel(batchesOf(await world.sequence(BLOCKS_PER_CHANNEL), world.config, 'singular'), 'zlib', { compress })
    const cut = Math.ceil(data.length / FRAMES_PER_CHANNEL)
    channels.push(splitIntoFrames(channelId(`channel ${i}`), data, cut + 23))
  }
  return channels
}

async function deriveFrom(world: DerivationWorld, list: readonly Post[]): Promise<number> {
  const channels = await threeChannels(world)
  for (const { channel, frame, garbage } of list) {
    world.submitter.sendRaw(garbage ?? encodeBatcherTransaction([channels[channel]?.[frame] as Frame]))
    world.l1.mine(1)
  }
  world.l1.mine(1)
  await world.derive()
  const { hashes } = world.derived
  assert.deepEqual(hashes, world.sequenced.hashes.slice(0, hashes.length), 'another chain')
  return world.safe().number
}

describe('frames in any order, repeated, missing, between garbage', () => {
  // derivation.md#channel-bank
  it('before Holocene: the blocks of the channels that came whole, up to the first that did not', async () => {
    await fc.assert(
      fc.asyncProperty(posts, async (list) => {
        const frames = list.filter(({ garbage }) => garbage === null)
        const seen = new Set(frames.map(({ channel, frame }) => `${channel} ${frame}`))
        const whole = [0, 1, 2].map((channel) => [0, 1, 2].every((frame) => seen.has(`${channel} ${frame}`)))
        const missing = whole.indexOf(false)
        const expected = BLOCKS_PER_CHANNEL * (missing < 0 ? 3 : missing)
        assert.equal(await deriveFrom(createDerivationWorld({ forks: forksUpTo('granite') }), list), expected)
      }),
      { numRuns: 40 },
    )
  })

  // holocene/derivation.md#reading--frame-loading, #batch-queue
  it('from Holocene: the blocks of the channels whose frames came in order, in the order of the channels', async () => {
    await fc.assert(
      fc.asyncProperty(posts, async (list) => {
        let open: { channel: number; next: number } | null = null
        let channelsDerived = 0
        for (const { channel, frame, garbage } of list) {
          if (garbage !== null) continue
          if (frame === 0) open = { channel, next: 1 }
          else if (open !== null && open.channel === channel && open.next === frame) open = { channel, next: frame + 1 }
          if (open?.next !== FRAMES_PER_CHANNEL) continue
          if (open.channel === channelsDerived) channelsDerived++
          open = null
        }
        assert.equal(await deriveFrom(createDerivationWorld(), list), BLOCKS_PER_CHANNEL * channelsDerived)
      }),
      {
        numRuns: 40,
        examples: [
          [[0, 1, 2].flatMap((channel) => [0, 1, 2].map((frame) => ({ channel, frame, garbage: null })))],
          [[0, 1, 2].flatMap((channel) => [0, 1, 2, 2].map((frame, i) => ({ channel: i === 2 ? 2 : channel, frame, garbage: null })))],
        ],
      },
    )
  })
})
