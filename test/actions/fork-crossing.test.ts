/** Every fork in turn while the chain runs: sequencer, batcher and validator cross it together. */
import assert from 'node:assert/strict'
import type { ForkTimes } from '@keelson/chainspec'
import { createWorld } from '../support/world.ts'

const GENESIS_SEC = 1_800_000_000
const LATER_FORKS = ['regolith', 'canyon', 'delta', 'ecotone', 'fjord', 'granite', 'holocene', 'isthmus', 'jovian'] as const

/** Forks before `first` from genesis, then one every `everySec`. */
function crossing(first: (typeof LATER_FORKS)[number], everySec: number): ForkTimes {
  const from = LATER_FORKS.indexOf(first)
  return Object.fromEntries(LATER_FORKS.map((fork, i) => [fork, i < from ? 0 : GENESIS_SEC + (i - from + 1) * everySec]))
}

describe('crossing forks', () => {
  for (const first of ['canyon', 'ecotone', 'holocene'] as const) {
    it(`from before ${first} to the last one`, async () => {
      const everySec = 20
      const world = await createWorld({ forks: crossing(first, everySec) })
      const follower = await world.addFollower('validator', { gossip: false })
      const gossiped = await world.addFollower('gossiped')
      world.startBatcher({ dataAvailability: 'calldata' })
      const seconds = (LATER_FORKS.length - LATER_FORKS.indexOf(first) + 2) * everySec
      for (let at = 0; at < seconds; at += 10) {
        const tx = world.sequencer.execution.transfer(1, '0x00000000000000000000000000000000000000aa', 1n)
        await world.sequencer.execution.call('eth_sendRawTransaction', `0x${Buffer.from(tx.raw).toString('hex')}`)
        await world.advance(10)
      }
      await world.advance(40)
      const { safe } = follower.heads()
      assert.ok(safe * 2 >= seconds, `safe ${safe}`)
      for (let number = 1; number <= safe; number++) {
        assert.equal(await follower.hashAt(number), await world.sequencer.hashAt(number), `block ${number}`)
      }
      assert.equal(gossiped.heads().unsafe, world.sequencer.heads().unsafe)
      for (const node of world.nodes) assert.equal(node.log.matching('not what L1 says').length, 0, node.name)
      await world.stop()
    })
  }
})
