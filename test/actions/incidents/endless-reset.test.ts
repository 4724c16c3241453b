/** Incident: the same cause reset a node at full speed for hours, without a log message. */
import assert from 'node:assert/strict'
import { createWorld } from '../../support/world.ts'

describe('incident: a reset without progress', () => {
  it('raises an alert the second time, repeats twice a minute, and clears when its cause is gone', async () => {
    let lost: string | null = null
    let requests = 0
    const world = await createWorld()
    const follower = await world.addFollower('validator', {
      wire: (real) => ({
        ...real,
        l1: {
          blockRef: (at) => real.l1.blockRef(at),
          header: (hash) => real.l1.header(hash),
          transactions: (hash) => real.l1.transactions(hash),
          receipts: async (hash) => {
            requests++
            return hash === lost ? null : real.l1.receipts(hash)
          },
        },
      }),
    })
    await world.advance(12)
    lost = world.l1.mine().hash
    await world.batch()
    await world.advance(16)
    const alert = () => follower.consensus.driver.degraded.find(({ what }) => what.includes('reset again and again'))
    assert.match(alert()?.why ?? '', /\(l1-reorg\) because: L1 no longer knows block 4/)
    assert.match(alert()?.remedy ?? '', /compare the L1 URL/)
    const ready = follower.consensus.checks.find(({ name }) => name === 'no-degraded-state')
    assert.equal((await ready?.check())?.ok, false)

    const resets = () => follower.log.matching('derivation reset').length
    const [resetsBefore, requestsBefore] = [resets(), requests]
    await world.advance(600)
    assert.ok(resets() - resetsBefore <= 21, `${resets() - resetsBefore} resets in ten minutes`)
    assert.ok(resets() - resetsBefore >= 10, `${resets() - resetsBefore} resets in ten minutes: it is still tried`)
    assert.ok(requests - requestsBefore < 400, `${requests - requestsBefore} receipts asked for`)
    assert.equal(follower.log.matching('again and again').filter(({ level }) => level === 'warn').length, 1)
    assert.equal(follower.heads().unsafe, world.sequencer.heads().unsafe, 'unsafe blocks are followed all the while')

    lost = null
    await world.advance(40)
    assert.equal(follower.heads().safe, world.sequencer.heads().safe)
    assert.deepEqual(follower.consensus.driver.degraded, [])
    await world.stop()
  })

  it('does not stop the blocks of a sequencer', async () => {
    let lost: string | null = null
    const world = await createWorld({
      sequencer: { l1Confirmations: 0 },
      wire: (real) => ({
        ...real,
        l1: {
          blockRef: (at) => real.l1.blockRef(at),
          header: (hash) => real.l1.header(hash),
          transactions: async (hash) => (hash === lost ? null : real.l1.transactions(hash)),
          receipts: (hash) => real.l1.receipts(hash),
        },
      }),
    })
    await world.advance(12)
    lost = world.l1.mine().hash
    await world.advance(120)
    assert.ok(world.sequencer.consensus.driver.degraded.some(({ what }) => what.includes('reset again and again')))
    const due = (world.clock.nowMs() / 1000 - world.config.genesis.l2TimestampSec) / 2
    assert.ok(world.sequencer.heads().unsafe >= due - 1, `block ${world.sequencer.heads().unsafe}, due ${due}`)
    await world.stop()
  })
})
