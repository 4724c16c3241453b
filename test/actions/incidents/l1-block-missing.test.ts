/** Incident: an L1 node lacked a block. One client panicked, another cached the empty answer. */
import assert from 'node:assert/strict'
import type { L1Reader } from '@keelson/derivation'
import { createWorld, type Wire } from '../../support/world.ts'

function missing(isMissing: (at: number | string) => boolean): Wire {
  return (real) => {
    const kept = new Map<string, unknown>()
    const gone = async <T>(at: number | string, ask: () => Promise<T | null>): Promise<T | null> => (isMissing(at) ? null : ask())
    const once = async <T>(what: string, hash: string, ask: () => Promise<T | null>): Promise<T | null> => {
      const found = kept.get(what + hash) ?? (await gone(hash, ask))
      if (found !== null) kept.set(what + hash, found)
      return found as T | null
    }
    const l1: L1Reader = {
      blockRef: (at) =>
        at === 'latest' || at === 'safe' || at === 'finalized' ? real.l1.blockRef(at) : gone(at, () => real.l1.blockRef(at)),
      header: (hash) => once('header', hash, () => real.l1.header(hash)),
      transactions: (hash) => once('transactions', hash, () => real.l1.transactions(hash)),
      receipts: (hash) => once('receipts', hash, () => real.l1.receipts(hash)),
    }
    return { ...real, l1 }
  }
}

describe('incident: an L1 that misses announced blocks', () => {
  it('does not stop sequencer and verifier when every seventeenth answer is empty', async () => {
    let asked = 0
    const flaky = missing(() => ++asked % 17 === 0)
    const world = await createWorld({ wire: flaky })
    const follower = await world.addFollower('validator', { gossip: false, wire: flaky })
    await world.advance(40)
    await world.batch()
    for (let round = 0; round < 12 && follower.heads().safe < 40; round++) {
      await world.batch()
      await world.advance(40)
    }
    const { safe } = follower.heads()
    assert.ok(safe >= 40, `safe ${safe}`)
    assert.equal(await follower.hashAt(safe), await world.sequencer.hashAt(safe))
    const due = (world.clock.nowMs() / 1000 - world.config.genesis.l2TimestampSec) / 2
    assert.ok(world.sequencer.heads().unsafe >= due - 4, `block ${world.sequencer.heads().unsafe}, due ${due}`)
    await world.stop()
  })

  it('delays derivation while the receipts of a block are missing', async () => {
    let lost: string | null = null
    const world = await createWorld()
    const follower = await world.addFollower('validator', { gossip: false, wire: missing((at) => at === lost) })
    await world.advance(12)
    lost = world.l1.mine().hash
    await world.batch()
    await world.advance(20)
    const stuckAt = follower.heads().safe
    assert.ok(stuckAt < world.sequencer.heads().safe)
    assert.ok(follower.consensus.driver.degraded.length > 0)
    lost = null
    await world.advance(40)
    assert.equal(follower.heads().safe, world.sequencer.heads().safe)
    assert.deepEqual(follower.consensus.driver.degraded, [])
    await world.stop()
  })

  it("keeps the sequencer's epoch while everything above a height is missing, then takes the next", async () => {
    let top = Number.POSITIVE_INFINITY
    const world = await createWorld({ wire: missing((at) => typeof at === 'number' && at > top) })
    await world.advance(12)
    top = world.l1.head.number
    await world.advance(20)
    const { driver } = world.sequencer.consensus
    assert.ok((driver.heads?.unsafe.l1Origin.number ?? 0) <= top)
    assert.equal(world.sequencer.heads().unsafe, 16)
    top = Number.POSITIVE_INFINITY
    await world.advance(20)
    assert.ok((driver.heads?.unsafe.l1Origin.number ?? 0) > 6)
    assert.equal(world.sequencer.heads().unsafe, 26)
    await world.stop()
  })
})
