import assert from 'node:assert/strict'
import { forksAtGenesis } from '@keelson/chainspec'
import type { ExecutionPayload } from '@keelson/primitives'
import { inputOf, post, reasons, singular, span, withBlocks } from '../../../../test/support/batch-world.ts'
import { createDerivationWorld, forksUpTo, GENESIS_TIME_SEC } from '../../../../test/support/derivation-world.ts'
import type { WireBatch } from '../codec/batch/batch.ts'
import { encodeBatcherTransaction } from '../codec/channel/frame.ts'
import { l2BlockRefOf } from '../codec/payload.ts'
import type { SpanBatchInput } from '../codec/span-batch/span-batch.ts'

const HOLOCENE = forksAtGenesis('holocene')
const GRANITE = forksUpTo('granite')

for (const [name, forks] of [
  ['before Holocene', GRANITE],
  ['from Holocene', HOLOCENE],
] as const) {
  describe(`a sequencing window without batches, ${name}`, () => {
    it('ends in empty blocks once its last L1 block is read', async () => {
      const world = createDerivationWorld({ forks, sequencingWindowL1Blocks: 3 })
      world.l1.mine(2)
      assert.deepEqual(await world.derive(), [])
      world.l1.mine(1)
      // epoch 0 lasts 4 s: genesis and one block; the window of epoch 1 is not over
      assert.equal((await world.derive()).length, 1)
    })

    it('fills each epoch up to the next one', async () => {
      const world = createDerivationWorld({ forks, sequencingWindowL1Blocks: 3 })
      world.l1.mine(6)
      const derived = await world.derive()
      assert.ok(derived.length > 0)
      for (const { attributes, parent } of derived) {
        assert.equal(attributes.timestampSec, parent.timestampSec + 2)
        assert.ok(attributes.transactions.every((tx) => tx[0] === 0x7e))
      }
      const epochs = world.derived.hashes.map((_, i) => l2BlockRefOf(world.derived.block(i), world.config.genesis).l1Origin.number)
      assert.deepEqual(epochs.slice(0, 6), [0, 0, 1, 1, 2, 2])
    })

    it('accepts a batch in the last L1 block of the window', async () => {
      const world = createDerivationWorld({ forks, sequencingWindowL1Blocks: 3 })
      world.l1.mine(2)
      const [block] = await world.sequence(1)
      post(world, singular(inputOf(world, block as ExecutionPayload)))
      world.l1.mine(1)
      await world.derive()
      assert.deepEqual(world.derived.hashes.slice(0, 2), world.sequenced.hashes)
    })

    it('rejects a batch one L1 block later', async () => {
      const world = createDerivationWorld({ forks, sequencingWindowL1Blocks: 3 })
      world.l1.mine(3)
      const [block] = await world.sequence(1)
      post(world, singular(inputOf(world, block as ExecutionPayload)))
      world.l1.mine(1)
      await world.derive()
      assert.notEqual(world.derived.hashes[1], world.sequenced.hashes[1])
    })
  })
}

describe('data read again after a start from a safe head', () => {
  for (const [name, forks] of [
    ['before Holocene', 'granite'],
    ['from Holocene', 'jovian'],
  ] as const) {
    it(`${name}: batches of L1 blocks behind the safe head's origin are dropped one by one, and say so. derivation.md#finding-the-sync-starting-point`, async () => {
      const { world, inputs } = await withBlocks(forks, 8)
      const [first, ...later] = inputs as [SpanBatchInput, ...SpanBatchInput[]]
      post(world, singular(first), span(world, [first]))
      world.l1.mine(1)
      post(world, ...later.map(singular))
      world.l1.mine(1)
      await world.derive()
      const safe = world.safe()
      const blocks = world.derived.hashes
      world.l1.mine(4)
      const more = (await world.sequence(6)).map((payload) => inputOf(world, payload))
      post(world, ...more.map(singular))
      world.l1.mine(1)
      await world.derive()
      assert.ok(world.safe().l1Origin.number > 5 && world.safe().number > safe.number)
      const before = world.drops.length
      world.pipeline.reset({ l1Origin: world.l1.genesis, systemConfig: world.config.genesis.systemConfig })
      await world.derive()
      assert.deepEqual(world.derived.hashes.slice(0, blocks.length), blocks)
      const behind = world.drops.slice(before).filter(({ reason }) => reason === 'batch-behind-safe-head')
      assert.equal(behind.length, 2 + later.length)
      assert.deepEqual(behind[1]?.details.blocks, 1)
    })
  }
})

describe('activation of strict order', () => {
  it('drops an incomplete channel and waiting batches, and keeps the known origins', async () => {
    const forks = { ...GRANITE, holocene: GENESIS_TIME_SEC + 20 }
    const world = createDerivationWorld({ forks })
    world.l1.mine(3)
    const inputs = (await world.sequence(4)).map((payload) => inputOf(world, payload))
    const [a, b, c, d] = inputs.map(singular) as [WireBatch, WireBatch, WireBatch, WireBatch]
    post(world, b)
    world.submitter.sendRaw(
      encodeBatcherTransaction([{ channelId: `0x${'0f'.repeat(16)}`, number: 0, data: Uint8Array.of(1), isLast: false }]),
    )
    world.l1.mine(2)
    await world.derive()
    assert.deepEqual(reasons(world), ['fork-activated', 'fork-activated'])
    post(world, a, b, c, d)
    world.l1.mine()
    await world.derive()
    assert.deepEqual(world.derived.hashes, world.sequenced.hashes)
  })
})
