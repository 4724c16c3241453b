import assert from 'node:assert/strict'
import { createWorld, type Wire } from '../support/world.ts'

describe('finality', () => {
  it('follows the L1 block that includes the batch', async () => {
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

  it('is restored after a restart and continues', async () => {
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

  it('does not move back when L1 reports an older finalized block or none', async () => {
    const world = await createWorld()
    const follower = await world.addFollower('validator', { gossip: false })
    await world.advance(8)
    await world.batch()
    await world.advance(8)
    world.l1.setFinalized(world.l1.head.number)
    await world.advance(4)
    const { finalized } = follower.heads()
    assert.ok(finalized > 0)
    world.l1.setFinalized(0)
    await world.advance(8)
    await world.batch()
    await world.advance(8)
    assert.equal(follower.heads().finalized, finalized)
    assert.ok(follower.heads().safe > finalized)
    follower.consensus.driver.submit({ kind: 'reset', reason: 'a look' })
    await follower.settle()
    assert.equal(follower.heads().finalized, finalized)
    await world.stop()
  })

  it('waits for derivation when L1 has finalized blocks that are not read yet', async () => {
    const world = await createWorld()
    const follower = await world.addFollower('validator', { gossip: false, consensus: { verifierL1Confirmations: 5 } })
    await world.advance(12)
    await world.batch()
    await world.advance(4)
    const { safe } = world.sequencer.heads()
    world.l1.setFinalized(world.l1.head.number)
    await world.advance(4)
    assert.equal(world.sequencer.heads().finalized, safe)
    assert.deepEqual([follower.heads().safe, follower.heads().finalized], [0, 0])
    await world.advance(20)
    assert.equal(follower.heads().safe, safe)
    assert.equal(follower.heads().finalized, safe)
    await world.stop()
  })

  it('ignores an L1 block that was replaced before it was final', async () => {
    const world = await createWorld()
    const follower = await world.addFollower('validator', { gossip: false })
    await world.advance(12)
    await world.batch()
    await world.advance(4)
    const lost = world.l1.head.number
    assert.ok(follower.heads().safe > 0)
    world.l1.reorg(1, { keepTransactions: false, newBlocks: 3 })
    world.l1.setFinalized(lost + 1)
    await world.advance(4)
    assert.equal(follower.heads().finalized, 0)
    await world.batch()
    await world.advance(8)
    world.l1.setFinalized(world.l1.head.number)
    await world.advance(4)
    assert.equal(follower.heads().finalized, follower.heads().safe)
    assert.ok(follower.heads().finalized > 0)
    await world.stop()
  })

  it('ignores an L1 that labels a block far above its head as finalized', async () => {
    let claimed: number | null = null
    const wire: Wire = (real) => ({
      ...real,
      l1: {
        ...real.l1,
        async blockRef(at) {
          const block = await real.l1.blockRef(at)
          return at !== 'finalized' || claimed === null || block === null
            ? block
            : { ...block, number: claimed, hash: `0x${'fa'.repeat(32)}` as never }
        },
      },
    })
    const world = await createWorld()
    const follower = await world.addFollower('validator', { gossip: false, wire })
    await world.advance(8)
    await world.batch()
    claimed = 10_000_000
    await world.advance(12)
    assert.ok(follower.heads().safe > 0)
    assert.equal(follower.heads().finalized, 0)
    assert.equal(follower.log.matching('the finalized block of L1 is rejected').length, 1)
    claimed = null
    world.l1.setFinalized(world.l1.head.number)
    await world.advance(4)
    assert.equal(follower.heads().finalized, follower.heads().safe)
    await world.stop()
  })
})
