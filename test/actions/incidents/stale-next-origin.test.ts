/**
 * Origin selection kept the next L1 block it had seen, and went on asking for that one after L1 had replaced it: the
 * sequencer was stuck on its epoch. Here what follows an origin is asked each time, told of the reorg or not.
 */
import assert from 'node:assert/strict'
import { createWorld, type World } from '../../support/world.ts'

/** An L1 block that is there before its time has come for L2: seen, but not taken. */
async function worldThatHasSeenTheNext(): Promise<{ world: World; seen: string }> {
  const world = await createWorld({ sequencer: { l1Confirmations: 0 } })
  await world.advance(20)
  const seen = world.l1.mine(2)
  for (let i = 0; i < 2; i++) {
    await world.clock.advance(2_000)
    await world.sequencer.settle()
  }
  assert.equal(world.sequencer.consensus.driver.heads?.unsafe.l1Origin.hash, seen.parentHash)
  assert.notEqual(world.sequencer.consensus.driver.heads?.unsafe.l1Origin.hash, seen.hash)
  return { world, seen: seen.hash }
}

async function assertGoesOn(world: World, seen: string): Promise<void> {
  const next = world.l1.head
  assert.notEqual(next.hash, seen)
  for (let i = 0; i < 3; i++) {
    await world.clock.advance(2_000)
    // derivation and sequencing go on, but nobody looks whether L1 has changed
    await world.sequencer.consensus.settle()
  }
  const { driver } = world.sequencer.consensus
  assert.equal(driver.heads?.unsafe.l1Origin.hash, next.hash)
  const due = (world.clock.nowMs() / 1000 - world.config.genesis.l2TimestampSec) / 2
  assert.equal(world.sequencer.heads().unsafe, due)
  assert.deepEqual(driver.degraded, [])
}

describe('incident: an origin selector that is stuck on a replaced block', () => {
  it('takes the block that is there now, without being told of the reorg', async () => {
    const { world, seen } = await worldThatHasSeenTheNext()
    world.l1.reorg(1, { newBlocks: 1 })
    await assertGoesOn(world, seen)
    assert.equal(world.sequencer.log.matching('derivation reset').length, 0)
    await world.stop()
  })

  it('goes back one epoch when its own origin went too', async () => {
    const { world, seen } = await worldThatHasSeenTheNext()
    world.l1.reorg(2, { newBlocks: 2 })
    await assertGoesOn(world, seen)
    assert.equal(world.sequencer.log.matching('derivation reset').length, 1)
    await world.stop()
  })

  it('takes it after a time in which L1 had no next block at all', async () => {
    const { world } = await worldThatHasSeenTheNext()
    world.l1.reorg(1, { newBlocks: 0 })
    await world.clock.advance(4_000)
    await world.sequencer.settle()
    const held = world.sequencer.heads().unsafe
    const next = world.l1.mine()
    await world.clock.advance(4_000)
    await world.sequencer.settle()
    assert.ok(world.sequencer.heads().unsafe > held)
    assert.equal(world.sequencer.consensus.driver.heads?.unsafe.l1Origin.hash, next.hash)
    await world.stop()
  })
})
