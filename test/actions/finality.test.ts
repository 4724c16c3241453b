/** Finality: what L1 finalized carries the L2 blocks derived from it, never more, also over a restart. */
import assert from 'node:assert/strict'
import { createWorld } from '../support/world.ts'

describe('finality', () => {
  it('follows the L1 block the batch was in', async () => {
    const world = await createWorld()
    const follower = await world.addFollower('validator', { gossip: false })
    await world.advance(8)
    await world.batch()
    await world.advance(4)
    const batchAt = world.l1.head.number
    const first = follower.heads().safe
    await world.advance(8)
    await world.batch()
    await world.advance(12)
    assert.ok(follower.heads().safe > first)

    world.l1.setFinalized(batchAt - 1)
    await world.advance(4)
    assert.equal(follower.heads().finalized, 0, 'the batch itself is not final yet')
    world.l1.setFinalized(batchAt)
    await world.advance(4)
    assert.equal(follower.heads().finalized, first)
    assert.equal(world.sequencer.heads().finalized, first)
    const label = (await follower.execution.call('eth_getBlockByNumber', 'finalized', false)) as { number: string }
    assert.equal(Number(label.number), first)
    await world.stop()
  })

  it('is remembered over a restart and goes on', async () => {
    const world = await createWorld()
    const follower = await world.addFollower('validator', { gossip: false })
    await world.advance(8)
    await world.batch()
    await world.advance(8)
    const { safe } = follower.heads()
    await follower.restart()
    world.l1.setFinalized(world.l1.head.number)
    await world.advance(4)
    assert.equal(follower.heads().finalized, safe)
    await follower.restart()
    await follower.settle()
    assert.equal(follower.heads().finalized, safe)
    await world.stop()
  })

  it('reaches a node that derives everything long after L1 finalized it', async () => {
    const world = await createWorld()
    for (let i = 0; i < 3; i++) {
      await world.advance(16)
      await world.batch()
    }
    await world.advance(8)
    world.l1.setFinalized(world.l1.head.number)
    const late = await world.addFollower('late', { gossip: false })
    await world.advance(4)
    assert.equal(late.heads().finalized, late.heads().safe)
    assert.ok(late.heads().finalized >= 20)
    await world.stop()
  })
})
