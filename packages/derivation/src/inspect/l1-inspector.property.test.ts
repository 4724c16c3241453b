import assert from 'node:assert/strict'
import { bytesToHex } from '@keelson/primitives'
import fc from 'fast-check'
import { createDerivationWorld, forksUpTo } from '../../../../test/support/derivation-world.ts'
import { decompress } from '../../../node/src/crypto/compression.ts'
import { createNativeCrypto } from '../../../node/src/crypto/native-crypto.ts'
import { encodeFrame, type Frame } from '../codec/channel/frame.ts'
import { L1Inspector } from './l1-inspector.ts'

const crypto = createNativeCrypto()
const RUNS = { numRuns: 20 }
const STAGES = ['l1-retrieval', 'frame-queue', 'channel-bank', 'channel-assembler']

const frame = fc.record({
  channelId: fc.integer({ min: 1, max: 3 }).map((n) => `0x${`0${n}`.repeat(16)}` as Frame['channelId']),
  number: fc.integer({ min: 0, max: 3 }),
  data: fc.oneof(fc.uint8Array({ maxLength: 20 }), fc.constant(Uint8Array.of(0x78, 0x9c, 1))),
  isLast: fc.boolean(),
})
const data = fc.oneof(
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 50 }) },
  {
    weight: 6,
    arbitrary: fc.array(frame, { minLength: 1, maxLength: 4 }).map((frames) => Buffer.concat([Buffer.of(0), ...frames.map(encodeFrame)])),
  },
)
const l1 = fc.array(fc.array(data, { maxLength: 4 }), { minLength: 1, maxLength: 6 })

describe('L1 inspector, whatever L1 holds', () => {
  for (const last of ['bedrock', 'granite', 'jovian'] as const) {
    it(`${last}: drops what the pipeline drops, in the same L1 blocks and for the same reasons`, async () => {
      await fc.assert(
        fc.asyncProperty(l1, async (blocks) => {
          const world = createDerivationWorld({ forks: last === 'bedrock' ? {} : forksUpTo(last) })
          for (const transactions of blocks) {
            for (const raw of transactions) world.submitter.sendRaw(Uint8Array.from(raw))
            world.l1.mine()
          }
          await world.derive()
          const seen: string[] = []
          const inspector = new L1Inspector(
            world.config,
            { l1Origin: world.l1.genesis, systemConfig: world.config.genesis.systemConfig },
            { l1: world.l1.reader, blobs: world.l1.blobReader, decompressor: { decompress }, crypto },
          )
          const expected = world.drops
            .filter(({ stage }) => STAGES.includes(stage))
            .map(({ reason, l1Origin }) => `${l1Origin.number} ${reason}`)
          const passed = new Set<string>()
          for (let events = await inspector.next(); events !== null; events = await inspector.next()) {
            for (const event of events) {
              if (event.kind === 'transaction' && event.dropped !== null) seen.push(`${event.l1Block} ${event.dropped}`)
              if (event.kind === 'frame' && event.dropped !== null) seen.push(`${event.l1Block} ${event.dropped}`)
              if (event.kind === 'channel' && event.state === 'dropped') seen.push(`${event.l1Block} ${event.reason}`)
              if (event.kind === 'drop' && STAGES.includes(event.stage)) seen.push(`${event.l1Block} ${event.reason}`)
              if (event.kind === 'transaction') passed.add(event.hash)
            }
          }
          assert.deepEqual(seen.sort(), expected.sort())
          assert.equal(passed.size, blocks.flat().length)
        }),
        RUNS,
      )
    })
  }

  it('never throws for what a stranger or a broken batcher writes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 }), async (items) => {
        const world = createDerivationWorld()
        for (const item of items) world.l1.send({ privateKey: new Uint8Array(32).fill(7), to: world.config.batchInbox, data: item })
        world.l1.mine()
        const inspector = new L1Inspector(
          world.config,
          { l1Origin: world.l1.genesis, systemConfig: world.config.genesis.systemConfig },
          { l1: world.l1.reader, blobs: world.l1.blobReader, decompressor: { decompress }, crypto },
        )
        await inspector.next()
        const events = (await inspector.next()) ?? []
        assert.deepEqual(
          events.map((event) => event.kind === 'transaction' && event.dropped),
          items.map(() => 'batcher-tx-wrong-sender'),
          bytesToHex(Uint8Array.from(items[0] ?? [])),
        )
      }),
      RUNS,
    )
  })
})
