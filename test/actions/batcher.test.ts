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
    it(`keep the safe head close to the unsafe head: ${form.batchType}, ${form.compression}, ${form.dataAvailability}`, async () => {
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
      for (const node of world.nodes) assert.equal(node.log.matching('block differs from L1').length, 0, node.name)
      await world.stop()
    })
  }

  for (const depth of [1, 3, 6]) {
    it(`recover from an L1 reorg of depth ${depth} without help`, async () => {
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

  it('continue after a restart of the sequencer and a change of the batcher', async () => {
    const world = await createWorld()
    const follower = await world.addFollower('validator')
    world.startBatcher()
    await world.advance(30)
    await world.sequencer.restart()
    world.startBatcher()
    await world.advance(40)
    assert.ok(follower.heads().safe >= 25, `safe ${follower.heads().safe}`)
    await assertSameSafeChain(world, follower)
    assert.equal(follower.log.matching('block differs from L1').length, 0)
    await world.stop()
  })

  it('make smaller blocks while L1 accepts no batches, and normal ones once L1 has caught up', async () => {
    const world = await createWorld()
    const { execution } = world.sequencer
    const { log } = world.startBatcher({
      throttleController: 'step',
      throttleLowerThresholdBytes: 45_000,
      throttleTransactionLowerBytes: 5_000,
      throttleBlockLowerBytes: 2_500,
      dataAvailability: 'calldata',
    })
    let seed = 1
    const noise = (bytes: number) =>
      Uint8Array.from({ length: bytes }, () => {
        seed = (seed * 48_271) % 2_147_483_647
        return seed & 255
      })
    const sizes: number[] = []
    const nonces = new Map<number, bigint>()
    const step = async (mine: boolean) => {
      for (let from = 0; from < 8; from++) {
        const sender = execution.accounts[from]?.address
        assert.ok(sender)
        if (execution.node.pool.ofSender(sender).pending.length >= 2) continue
        const nonce = nonces.get(from) ?? 0n
        nonces.set(from, nonce + 1n)
        const tx = execution.sign(from, {
          type: 2,
          chainId: execution.chainId,
          nonce,
          gasLimit: 100_000n,
          to: new Uint8Array(20).fill(0xaa),
          valueWei: 0n,
          data: noise(1_000),
          accessList: [],
          maxPriorityFeePerGasWei: 1_000_000_000n,
          maxFeePerGasWei: 100_000_000_000n,
        })
        await execution.call('eth_sendRawTransaction', `0x${Buffer.from(tx.raw).toString('hex')}`)
      }
      await world.advance(2, { mine })
      sizes.push((await world.sequencer.payloadAt(world.sequencer.heads().unsafe)).payload.transactions.length - 1)
    }
    for (let i = 0; i < 4; i++) await step(true)
    assert.ok(Math.max(...sizes) >= 8, `usual blocks hold what there is: ${sizes}`)
    for (let i = 0; i < 12; i++) await step(false)
    assert.ok(
      sizes.slice(-5).every((count) => count > 0 && count <= 2),
      `blocks get small: ${sizes}`,
    )
    assert.equal(log.matching('limiting block size').length, 1)
    for (let i = 0; i < 12; i++) await step(true)
    assert.ok(Math.max(...sizes.slice(-3)) >= 8, `blocks recover: ${sizes}`)
    assert.equal(log.matching('block size limits are lifted').length, 1)
    await world.stop()
  })
})
