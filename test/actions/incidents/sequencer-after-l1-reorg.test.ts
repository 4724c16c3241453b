/** Incident: after an L1 reorg removed its origin and batches, a sequencer halted for the sequencing window. */
import assert from 'node:assert/strict'
import { createWorld } from '../../support/world.ts'

describe('incident: a sequencer whose origin was reorganised away', () => {
  for (const depth of [1, 4, 9]) {
    it(`continues at once when L1 lost ${depth} blocks with their batches`, async () => {
      const world = await createWorld({ sequencingWindowL1Blocks: 100 })
      const follower = await world.addFollower('validator')
      await world.advance(40)
      await world.batch()
      await world.advance(8)
      world.l1.reorg(depth, { keepTransactions: false, newBlocks: 1 })
      await world.advance(4)
      const due = (world.clock.nowMs() / 1000 - world.config.genesis.l2TimestampSec) / 2
      assert.ok(world.sequencer.heads().unsafe >= due - 1, `block ${world.sequencer.heads().unsafe}, due ${due}`)
      const origin = world.sequencer.consensus.driver.heads?.unsafe.l1Origin
      assert.equal(world.l1.block(origin?.number ?? -1)?.ref.hash, origin?.hash)
      await world.batch()
      await world.advance(8)
      assert.ok(world.sequencer.heads().safe > due - 2)
      assert.equal(follower.heads().unsafe, world.sequencer.heads().unsafe)
      const { safe } = follower.heads()
      assert.equal(await follower.hashAt(safe), await world.sequencer.hashAt(safe))
      for (const node of world.nodes) assert.deepEqual(node.consensus.driver.degraded, [], node.name)
      await world.stop()
    })
  }
})
