/** The real batcher between real clients: W2 and W1 closed into a loop, with each carrier, over reorgs and restarts. */
import assert from 'node:assert/strict'
import type { BatcherOptions } from '@keelson/batcher'
import { createWorld, type World, type WorldNode } from '../support/world.ts'

async function sendTransfer(world: World, from: number): Promise<void> {
  const tx = world.sequencer.execution.transfer(from, '0x00000000000000000000000000000000000000aa', 1_000n)
  await world.sequencer.execution.call('eth_sendRawTransaction', `0x${Buffer.from(tx.raw).toString('hex')}`)
}

async function assertSameSafeChain(world: World, follower: WorldNode): Promise<void> {
  const safe = Math.min(follower.heads().safe, world.sequencer.heads().safe)
  for (let number = 1; number <= safe; number++) {
    assert.equal(await follower.hashAt(number), await world.sequencer.hashAt(number), `block ${number}`)
  }
}

const FORMS: readonly Partial<BatcherOptions>[] = [
  { batchType: 'singular', compression: 'zlib', dataAvailability: 'calldata' },
  { batchType: 'span', compression: 'zlib', dataAvailability: 'calldata' },
  { batchType: 'span', compression: 'brotli', dataAvailability: 'blobs' },
]

describe('sequencer, batcher and validator', () => {
  for (const form of FORMS) {
    it(`keep the safe head close behind: ${form.batchType}, ${form.compression}, ${form.dataAvailability}`, async () => {
      const world = await createWorld()
      const follower = await world.addFollower('validator', { gossip: false })
      world.startBatcher(form)
      for (let i = 0; i < 20; i++) {
        if (i % 3 === 0) await sendTransfer(world, i % 10)
        await world.advance(2)
        if (i > 10) assert.ok(world.sequencer.heads().unsafe - follower.heads().safe <= 10)
      }
      assert.ok(follower.heads().safe >= 10)
      await assertSameSafeChain(world, follower)
      for (const node of world.nodes) assert.equal(node.log.matching('not what L1 says').length, 0, node.name)
      await world.stop()
    })
  }

  for (const depth of [1, 3, 6]) {
    it(`recover from an L1 reorg ${depth} deep without help`, async () => {
      const world = await createWorld()
      const follower = await world.addFollower('validator', { gossip: false })
      world.startBatcher()
      await world.advance(40)
      const before = follower.heads().safe
      world.l1.reorg(depth, { newBlocks: depth + 1, keepTransactions: false })
      await world.advance(80)
      assert.ok(follower.heads().safe > before + 20, `safe ${follower.heads().safe}, before ${before}`)
      await assertSameSafeChain(world, follower)
      const fresh = await world.addFollower('fresh', { gossip: false })
      await world.advance(4)
      assert.ok(fresh.heads().safe >= follower.heads().safe - 4)
      await assertSameSafeChain(world, fresh)
      await world.stop()
    })
  }

  it('go on after the sequencer restarts and a new batcher takes over', async () => {
    const world = await createWorld()
    const follower = await world.addFollower('validator')
    world.startBatcher()
    await world.advance(30)
    await world.sequencer.restart()
    world.startBatcher()
    await world.advance(40)
    assert.ok(follower.heads().safe >= 25, `safe ${follower.heads().safe}`)
    await assertSameSafeChain(world, follower)
    assert.equal(follower.log.matching('not what L1 says').length, 0)
    await world.stop()
  })
})
