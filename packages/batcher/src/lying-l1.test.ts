import assert from 'node:assert/strict'
import { toHash } from '@keelson/primitives'
import { createBatcherWorld } from '../../../test/support/batcher-world.ts'

describe('batcher, an L1 node that lies', () => {
  it('resends blocks when the L1 node claims to have mined their batch in a block that L1 does not reach', async () => {
    const { world, drain, mine, sender } = createBatcherWorld()
    await mine(4)
    const honest = sender.send
    sender.send = async (transaction) => {
      sender.send = honest
      transaction.onPlaced?.()
      return { succeeded: true, blockNumber: 2 ** 40, transactionHash: toHash(new Uint8Array(32)) }
    }
    await world.sequence(8)
    await drain()
    for (let i = 0; i < 2 && world.safe().number < 8; i++) {
      await mine(40)
      await drain()
    }
    assert.deepEqual(world.derived.hashes, world.sequenced.hashes)
    assert.equal(sender.sent.length, 1, 'posted once')
  })

  it('is not stopped by an L1 node that names a head which L1 does not reach', async () => {
    const prices = { feeQuote: async () => assert.fail('not asked for'), headNumber: async () => 2 ** 40 }
    const { world, batcher, mine, sender } = createBatcherWorld({}, {}, prices)
    await mine(3)
    await world.sequence(3)
    for (let blocks = 0; blocks < 100 && sender.sent.length === 0; blocks++) {
      await batcher.step()
      await mine()
    }
    assert.equal(sender.sent.length, 1)
  })
})
