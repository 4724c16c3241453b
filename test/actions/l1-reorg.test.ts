import assert from 'node:assert/strict'
import { createWorld, SINGULAR_CALLDATA, type World, type WorldNode } from '../support/world.ts'

async function assertAgree(world: World, nodes: readonly WorldNode[], upTo: number): Promise<void> {
  for (const node of nodes) {
    for (let number = 0; number <= upTo; number++) {
      assert.equal(await node.hashAt(number), await world.sequencer.hashAt(number), `${node.name}: block ${number}`)
    }
  }
}

async function assertOriginsCanonical(world: World, node: WorldNode): Promise<void> {
  const { driver } = node.consensus
  const origin = driver.heads?.unsafe.l1Origin
  assert.equal(world.l1.block(origin?.number ?? -1)?.ref.hash, origin?.hash)
}

describe('L1 reorgs', () => {
  for (const depth of [1, 2, 5, 9]) {
    it(`of depth ${depth} with its batches included again restore the safe chain`, async () => {
      const world = await createWorld()
      const follower = await world.addFollower('validator', { gossip: false })
      await world.advance(20)
      await world.batch()
      await world.advance(20)
      const before = follower.heads().safe
      assert.ok(before >= 9)
      world.l1.reorg(depth, { newBlocks: depth + 1 })
      await world.advance(24)
      await world.batch()
      await world.advance(12)
      await assertOriginsCanonical(world, world.sequencer)
      await assertOriginsCanonical(world, follower)
      const safe = Math.min(follower.heads().safe, world.sequencer.heads().safe)
      assert.ok(safe >= before, `safe ${safe}, before ${before}`)
      await assertAgree(world, [follower], safe)
      for (const node of world.nodes) {
        const resets = node.log.matching('derivation reset')
        assert.ok(resets.length >= 1 && resets.length <= 2, `${node.name}: ${resets.length} resets`)
      }
      await world.stop()
    })
  }

  it('that lose batches move the safe head back, and forward again with the resent batches', async () => {
    const world = await createWorld()
    const follower = await world.addFollower('validator', { gossip: false })
    await world.advance(8)
    await world.batch()
    await world.advance(4)
    const kept = follower.heads().safe
    await world.advance(8)
    await world.batch()
    await world.advance(4)
    assert.ok(follower.heads().safe > kept)
    const lost = follower.heads().safe
    world.l1.reorg(1, { keepTransactions: false, newBlocks: 2 })
    await world.advance(2)
    assert.ok(follower.heads().safe < lost, `safe ${follower.heads().safe} is below ${lost}`)
    assert.ok(follower.heads().safe >= kept)
    await world.batch(SINGULAR_CALLDATA)
    await world.advance(12)
    assert.ok(follower.heads().safe >= lost)
    await assertAgree(world, [follower], follower.heads().safe)
    await world.stop()
  })

  it('that leave L1 lower reset nodes once and immediately, not when L1 passes its old height', async () => {
    const world = await createWorld({ sequencer: { l1Confirmations: 2 } })
    const follower = await world.addFollower('validator', { gossip: false })
    await world.advance(20)
    await world.batch()
    await world.advance(8)
    const kept = world.l1.head.number
    await world.advance(20)
    await world.batch()
    await world.advance(8)
    const [lost, height] = [follower.heads().safe, world.l1.head.number]
    world.l1.reorg(height - kept, { keepTransactions: false, newBlocks: 1 })
    await world.settle()
    assert.ok(world.l1.head.number < height)
    const resets = () => world.nodes.map((node) => node.log.matching('derivation reset').length)
    assert.deepEqual(resets(), [1, 1])
    for (const node of world.nodes) {
      assert.ok(node.heads().safe < lost, `${node.name}: safe ${node.heads().safe} is below ${lost}`)
      assert.equal(node.log.matching('L1 went back from').length, 1)
      assert.ok(((await node.consensus.safeHeads.latest())?.l1.number ?? 0) <= kept)
    }
    await world.advance(4 * (height - kept) + 8)
    await world.batch()
    await world.advance(12)
    assert.ok(world.l1.head.number > height)
    assert.ok(follower.heads().safe > lost)
    await assertAgree(world, [follower], follower.heads().safe)
    assert.deepEqual(resets(), [1, 1])
    await world.stop()
  })

  it("of the sequencer's origin make it rebuild the unsafe chain, and followers switch", async () => {
    const world = await createWorld()
    const follower = await world.addFollower('validator')
    await world.advance(12)
    const before = await world.sequencer.hashAt(world.sequencer.heads().unsafe)
    const at = world.sequencer.heads().unsafe
    world.l1.reorg(3, { newBlocks: 3 })
    await world.advance(12)
    await assertOriginsCanonical(world, world.sequencer)
    assert.notEqual(await world.sequencer.hashAt(at), before)
    await world.batch()
    await world.advance(8)
    assert.ok(follower.heads().safe > at)
    await assertAgree(world, [follower], follower.heads().safe)
    await world.stop()
  })

  it('do not affect a sequencer with a sufficient confirmation depth', async () => {
    const world = await createWorld({ sequencer: { l1Confirmations: 4 } })
    await world.advance(40)
    const at = world.sequencer.heads().unsafe
    const before = await world.sequencer.hashAt(at)
    world.l1.reorg(3, { newBlocks: 4 })
    await world.advance(8)
    assert.equal(await world.sequencer.hashAt(at), before)
    await assertOriginsCanonical(world, world.sequencer)
    await world.stop()
  })

  it('below the finalized block stop a strict node and reset a lenient one', async () => {
    const world = await createWorld({ consensus: { allowFinalizedReorg: true } })
    const stern = await world.addFollower('stern', { gossip: false, consensus: { allowFinalizedReorg: false } })
    await world.advance(24)
    await world.batch()
    await world.advance(12)
    world.l1.setFinalized(8)
    await world.advance(4)
    assert.ok(stern.heads().finalized > 0)
    const finalBefore = world.sequencer.heads().finalized
    assert.ok(finalBefore > 0)
    world.l1.setFinalized(0)
    world.l1.reorg(8, { newBlocks: 9 })
    await assert.rejects(stern.settle(), { code: 'consensus/l1-reorg-below-finalized' })
    await world.sequencer.settle()
    assert.ok(world.sequencer.heads().finalized < finalBefore)
    assert.equal(world.sequencer.log.matching('derivation reset').length, 1)
    await world.sequencer.consensus.stop()
  })

  it('of a finalized batch with a canonical origin make the lenient sequencer resend it, and a fresh node agrees', async () => {
    const world = await createWorld({ consensus: { allowFinalizedReorg: true } })
    await world.advance(8)
    await world.batch()
    await world.advance(16)
    world.l1.setFinalized(5)
    await world.advance(4)
    const { finalized, unsafe } = world.sequencer.heads()
    assert.ok(finalized >= 3)
    world.l1.setFinalized(0)
    world.l1.reorg(world.l1.head.number - 2, { keepTransactions: false, newBlocks: 6 })
    await world.advance(4)
    assert.equal(world.sequencer.heads().safe, 0)
    await world.batch()
    await world.advance(8)
    assert.ok(world.sequencer.heads().safe >= unsafe)
    const fresh = await world.addFollower('fresh', { gossip: false })
    await fresh.settle()
    assert.ok(fresh.heads().safe >= finalized)
    await assertAgree(world, [fresh], fresh.heads().safe)
    await world.stop()
  })
})
