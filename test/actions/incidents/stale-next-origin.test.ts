/** Incident: a sequencer kept a next origin that L1 had replaced, and stayed in its epoch. */
import assert from 'node:assert/strict'
import { createWorld, type World } from '../../support/world.ts'

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
    await world.sequencer.consensus.settle()
  }
  const { driver } = world.sequencer.consensus
  assert.equal(driver.heads?.unsafe.l1Origin.hash, next.hash)
  const due = (world.clock.nowMs() / 1000 - world.config.genesis.l2TimestampSec) / 2
  assert.equal(world.sequencer.heads().unsafe, due)
  assert.deepEqual(driver.degraded, [])
}

describe('incident: an origin selector that keeps a replaced block', () => {
  it('takes the current block without a notification of the reorg', async () => {
    const { world, seen } = await worldThatHasSeenTheNext()
    world.l1.reorg(1, { newBlocks: 1 })
    await assertGoesOn(world, seen)
    assert.equal(world.sequencer.log.matching('derivation reset').length, 0)
    await world.stop()
  })

  it('goes back one epoch when its own origin was replaced too', async () => {
    const { world, seen } = await worldThatHasSeenTheNext()
    world.l1.reorg(2, { newBlocks: 2 })
    await assertGoesOn(world, seen)
    assert.equal(world.sequencer.log.matching('derivation reset').length, 1)
    await world.stop()
  })

  it('takes the next block after a time without one on L1', async () => {
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
