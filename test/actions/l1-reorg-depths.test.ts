/** L1 reorganisations of each depth against each confirmation depth: nobody gets stuck, and origins are those of L1 as it is. */
import assert from 'node:assert/strict'
import { createWorld } from '../support/world.ts'

const L2_BLOCK_SEC = 2
const L1_BLOCK_SEC = 4

describe('an L1 reorg against confirmation depths', () => {
  for (const depth of [1, 3, 7]) {
    for (const confirmations of [0, 2, 6]) {
      it(`${depth} deep, ${confirmations} confirmations: the sequencer goes on at its pace and the follower agrees`, async () => {
        const world = await createWorld({ sequencer: { l1Confirmations: confirmations } })
        const follower = await world.addFollower('validator', {
          gossip: false,
          consensus: { verifierL1Confirmations: confirmations },
        })
        await world.advance(8 * L1_BLOCK_SEC)
        await world.batch()
        await world.advance(4 * L1_BLOCK_SEC)
        const before = await world.sequencer.hashAt(world.sequencer.heads().unsafe)
        const at = world.sequencer.heads().unsafe
        world.l1.reorg(depth, { newBlocks: depth })
        await world.advance(2 * L1_BLOCK_SEC)

        // made at the time they were due, on top of an origin that stands
        const due = world.clock.nowMs() / 1000 - world.config.genesis.l2TimestampSec
        const { unsafe } = world.sequencer.heads()
        assert.ok(unsafe >= due / L2_BLOCK_SEC - 1, `block ${unsafe} at ${due} s`)
        const origin = world.sequencer.consensus.driver.heads?.unsafe.l1Origin
        assert.equal(world.l1.block(origin?.number ?? -1)?.ref.hash, origin?.hash)
        if (confirmations >= depth) assert.equal(await world.sequencer.hashAt(at), before, 'deep enough: nothing is built anew')

        await world.batch()
        await world.advance((confirmations + 3) * L1_BLOCK_SEC)
        assert.ok(follower.heads().safe > at, `safe ${follower.heads().safe} passes ${at}`)
        for (let number = 1; number <= follower.heads().safe; number++) {
          assert.equal(await follower.hashAt(number), await world.sequencer.hashAt(number), `block ${number}`)
        }
        for (const node of world.nodes) assert.ok(node.log.matching('derivation reset').length <= 2, node.name)
        await world.stop()
      })
    }
  }
})
