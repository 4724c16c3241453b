import assert from 'node:assert/strict'
import { createBatcherWorld } from '../../../test/support/batcher-world.ts'

describe('batcher at a fork that is not implemented', () => {
  it('stops before the first block of the fork, and reports why', async () => {
    const { world, sender, mine, another } = createBatcherWorld()
    await mine(10)
    await world.sequence(8, 1)
    const timeSec = world.config.genesis.l2TimestampSec + 4 * world.config.blockTimeSec + 1
    const batcher = another({}, { ...world.config, firstUnsupportedFork: { name: 'lagoon', timeSec } })
    for (let i = 0; i < 4; i++) {
      await batcher.step()
      await mine(1)
    }
    assert.equal(world.derived.head.blockNumber, 4)
    assert.match(batcher.trouble()?.reason ?? '', /^stopped before fork lagoon: .* block 4 is the last one it can follow/)
    assert.equal(sender.sent.length, 1)
  })

  it('says so too while what was sent cannot settle, because L1 is read no further', async () => {
    const batching = createBatcherWorld()
    const { world, mine, another } = batching
    await mine(10)
    await world.sequence(4, 1)
    const timeSec = world.config.genesis.l2TimestampSec + 4 * world.config.blockTimeSec + 1
    const batcher = another({}, { ...world.config, firstUnsupportedFork: { name: 'lagoon', timeSec } })
    batching.status = { currentL1: world.l1.genesis }
    const step = await batcher.step()
    assert.match(step.kind === 'waiting' ? step.reason : '', /^L1 is derived to block 0/)
    assert.match(batcher.trouble()?.reason ?? '', /^stopped before fork lagoon/)
  })
})
