import assert from 'node:assert/strict'
import { createWorld } from '../support/world.ts'

const PERIODS = [1, 2, 3]

describe('a burst of resets', () => {
  for (const period of PERIODS) {
    it(`every ${period} blocks during derivation from L1 alone moves no safe head back`, async () => {
      const world = await createWorld()
      for (let batches = 0; batches < 4; batches++) {
        await world.advance(8)
        await world.batch()
      }
      await world.advance(8)
      const { safe } = world.sequencer.heads()
      const follower = await world.addFollower('validator', { gossip: false })
      const { driver, l1Watcher } = follower.consensus
      await l1Watcher.step()
      let askedAt = 0
      for (let steps = 0; steps < 5_000 && follower.heads().safe < safe; steps++) {
        const { safe: now } = follower.heads()
        if (now >= askedAt + period) {
          driver.submit({ kind: 'reset', reason: 'again' })
          askedAt = now
        }
        if (!(await driver.step()) && driver.reading) await driver.waitForWork()
      }
      const moves = follower.log
        .matching('derivation reset')
        .map(({ fields }) => [Number.parseInt(String(fields.safeBefore), 10), Number.parseInt(String(fields.safe), 10)] as const)
      assert.ok(moves.length >= 3)
      assert.deepEqual(
        moves.filter(([before, after]) => before !== after),
        [],
      )
      assert.equal(follower.heads().safe, safe)
      await world.stop()
    })
  }
})
