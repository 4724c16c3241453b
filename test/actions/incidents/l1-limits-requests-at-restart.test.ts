/** Incident: the search for the sync start hit L1's rate limit (429) and restarted each time. */
import assert from 'node:assert/strict'
import { NodeError, type Severity } from '@keelson/primitives'
import { createWorld, type Wire } from '../../support/world.ts'

class TooManyRequests extends NodeError {
  readonly severity: Severity = 'temporary'
}

const ANSWERS = 6

describe('incident: a restart with an L1 that limits requests', () => {
  it(`starts and catches up with ${ANSWERS} answers every two seconds`, async () => {
    let limited = false
    let left = 0
    let refused = 0
    const wire: Wire = (real) => ({
      ...real,
      l1: new Proxy(real.l1, {
        get: (target, name) => async (at: unknown) => {
          if (limited && left-- <= 0) {
            refused++
            throw new TooManyRequests('test/too-many-requests', '429 Too Many Requests')
          }
          return (Reflect.get(target, name) as (at: unknown) => unknown)(at)
        },
      }),
    })
    const world = await createWorld()
    const follower = await world.addFollower('validator', { gossip: false, wire })
    for (let i = 0; i < 6; i++) {
      await world.advance(24)
      await world.batch()
    }
    await world.advance(8)
    const { safe } = follower.heads()
    await follower.loseConsensusStore()
    world.l1.reorg(3)
    limited = true
    for (let i = 0; i < 200 && follower.heads().safe < safe; i++) {
      left = ANSWERS
      await world.advance(2)
      if (i % 7 === 6 && follower.consensus.driver.heads === null) await follower.restart()
    }
    assert.ok(refused > 10, `${refused} requests were refused`)
    assert.ok(follower.heads().safe >= safe, `safe ${follower.heads().safe}, before ${safe}`)
    assert.equal(await follower.hashAt(safe), await world.sequencer.hashAt(safe))
    await world.stop()
  })
})
