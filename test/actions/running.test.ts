import assert from 'node:assert/strict'
import { createWorld } from '../support/world.ts'

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

describe('a consensus client that runs by itself', () => {
  it("sequences at the clock's pace, polls L1 at its interval, and stops at once", async () => {
    const world = await createWorld({ consensus: { l1PollIntervalMs: 500 } })
    const node = await world.addFollower('runner', { gossip: false, consensus: { role: 'sequencer' } })
    const { consensus } = node
    const sleepersBefore = world.clock.sleepers.length
    await consensus.start(new AbortController().signal)
    for (let i = 0; i < 40; i++) {
      await world.clock.advance(250)
      world.l1.mineUntil(Math.floor(world.clock.nowMs() / 1000))
      await turns(40)
    }
    assert.equal(node.heads().unsafe, 5)
    assert.ok((consensus.driver.status()?.headL1.number ?? 0) >= 2)
    await consensus.stop()
    assert.ok(world.clock.sleepers.length <= sleepersBefore, 'nothing of it sleeps on')
    await world.stop()
  })
})
