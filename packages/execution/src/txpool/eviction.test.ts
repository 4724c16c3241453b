import assert from 'node:assert/strict'
import { GWEI, openPoolWorld, poolSender, poolSenderBytes, poolTransaction as transaction } from '../../../../test/support/pool-world.ts'
import { AccountQueue } from './account-queue.ts'
import { worstOf } from './eviction.ts'
import type { PooledTransaction } from './pool-types.ts'

describe('eviction from a full pool', () => {
  let looks = 0
  class WatchedQueue extends AccountQueue {
    override fromLast(taken: number): PooledTransaction | null {
      looks++
      return super.fromLast(taken)
    }
  }

  it('visits each account once, plus once per evicted transaction', async () => {
    const world = openPoolWorld()
    const accounts: AccountQueue[] = []
    for (let sender = 0; sender < 100; sender++) {
      for (const nonce of [0, 1]) await world.pool.add(transaction({ sender, nonce, tipGwei: 1 + ((sender * 7) % 9) }), 'local')
      const { pending } = world.pool.ofSender(poolSender(sender))
      const queue = new WatchedQueue((pending[0] as PooledTransaction).sender, poolSenderBytes(sender), world.head, () => 0)
      for (const pooled of pending) queue.insert(pooled)
      accounts.push(queue)
    }
    looks = 0
    const gone = worstOf(accounts, { transactions: 60, bytes: 0 }, GWEI)
    assert.equal(gone.length, 60)
    assert.equal(looks, 160)
    const tips = gone.map(({ tx }) => ('maxPriorityFeePerGasWei' in tx ? tx.maxPriorityFeePerGasWei / GWEI : -1n))
    assert.deepEqual(
      tips,
      [...tips].sort((a, b) => Number(a - b)),
    )
    for (const { sender, tx } of gone)
      if (tx.nonce === 0n)
        assert.ok(
          gone.some((other) => other.sender === sender && other.tx.nonce === 1n),
          'the last of a sender goes first',
        )
  })

  it('limits the recoveries after a long reorg to the slots of the pool', async () => {
    const world = openPoolWorld({ limits: { maxTransactions: 20 } })
    const { pool, log } = world
    for (let sender = 0; sender < 20; sender++) await pool.add(transaction({ sender, tipGwei: 1 }), 'local')
    const storm = Array.from({ length: 200 }, (_, i) => transaction({ sender: 20 + i, tipGwei: i < 10 ? 5 : 1 }))
    const before = world.recoveries
    await pool.onHead([], storm)
    assert.ok(world.recoveries - before <= 20, `${world.recoveries - before} recoveries`)
    assert.deepEqual([pool.counts().pending, pool.counts().queued], [20, 0])
    for (const tx of storm.slice(0, 10)) assert.ok(pool.find(tx.hash) !== null, 'those that pay most are in')
    assert.equal(log.matching('returned more transactions than the pool holds')[0]?.fields.dropped, 180)
  })
})
