/** What every implementation of ClientBudgets does. */
import assert from 'node:assert/strict'
import type { ManualClock } from '../../clock.ts'
import type { ClientBudgets } from './client-budgets.ts'

const ANONYMOUS = { perSec: 100, burst: 150 }

export interface OpenedBudgets {
  readonly budgets: ClientBudgets
  readonly clock: ManualClock
  /** Tells other nodes what was used, and learns what they used. */
  exchange(): Promise<void>
}

export function describeClientBudgets(where: string, open: (maxClients: number) => OpenedBudgets): void {
  describe(`budgets of clients ${where}`, () => {
    it('allow the burst at once and the rate over time, to the call', async () => {
      const { budgets, clock, exchange } = open(10)
      for (let i = 0; i < 150; i++) assert.equal(budgets.take('a', ANONYMOUS, 1), 0)
      assert.equal(budgets.take('a', ANONYMOUS, 1), 10)
      await exchange()
      await clock.advance(9)
      await exchange()
      assert.equal(budgets.take('a', ANONYMOUS, 1), 1)
      await exchange()
      await clock.advance(1)
      await exchange()
      assert.equal(budgets.take('a', ANONYMOUS, 1), 0)
      let taken = 0
      for (let ms = 0; ms < 10_000; ms += 5) {
        await exchange()
        await clock.advance(5)
        await exchange()
        while (budgets.take('a', ANONYMOUS, 1) === 0) taken++
      }
      assert.equal(taken, 1000)
      await exchange()
      await clock.advance(3_600_000)
      await exchange()
      assert.equal(budgets.take('a', ANONYMOUS, 150), 0)
      assert.ok(budgets.take('a', ANONYMOUS, 1) > 0)
    })

    it('charge work on credit and make the client wait until it is paid, at most 60 s', async () => {
      const { budgets, clock, exchange } = open(10)
      budgets.charge('a', ANONYMOUS, 250)
      assert.equal(budgets.take('a', ANONYMOUS, 0), 1_000)
      assert.equal(budgets.take('a', ANONYMOUS, 1), 1_010)
      await exchange()
      await clock.advance(1_000)
      await exchange()
      assert.equal(budgets.take('a', ANONYMOUS, 0), 0)
      budgets.charge('a', ANONYMOUS, 1_000_000)
      assert.equal(budgets.take('a', ANONYMOUS, 0), 60_000)
      assert.equal(budgets.take('b', ANONYMOUS, 150), 0)
    })

    it('give a batch all its tokens or none, and return the wait', async () => {
      const { budgets, clock, exchange } = open(10)
      assert.equal(budgets.take('a', ANONYMOUS, 100), 0)
      assert.equal(budgets.take('a', ANONYMOUS, 100), 500)
      assert.equal(budgets.take('a', ANONYMOUS, 50), 0)
      assert.equal(budgets.take('a', ANONYMOUS, 151), Number.POSITIVE_INFINITY)
      await exchange()
      await clock.advance(1499)
      await exchange()
      assert.equal(budgets.take('a', ANONYMOUS, 150), 1)
      await exchange()
      await clock.advance(1)
      await exchange()
      assert.equal(budgets.take('a', ANONYMOUS, 150), 0)
    })

    it('do not make an eager client wait longer', async () => {
      const { budgets, clock, exchange } = open(10)
      budgets.take('a', ANONYMOUS, 150)
      for (let i = 0; i < 1000; i++) assert.equal(budgets.take('a', ANONYMOUS, 1), 10)
      await exchange()
      await clock.advance(10)
      await exchange()
      assert.equal(budgets.take('a', ANONYMOUS, 1), 0)
    })

    it('are kept for each client', () => {
      const { budgets } = open(10)
      assert.equal(budgets.take('a', ANONYMOUS, 150), 0)
      assert.equal(budgets.take('b', ANONYMOUS, 150), 0)
      assert.ok(budgets.take('a', ANONYMOUS, 1) > 0)
    })

    it('follow a tier that changes', () => {
      const { budgets } = open(10)
      assert.equal(budgets.take('a', ANONYMOUS, 100), 0)
      assert.equal(budgets.take('a', { perSec: 1, burst: 10 }, 11), Number.POSITIVE_INFINITY)
      assert.deepEqual([budgets.take('a', { perSec: 1, burst: 10 }, 10), budgets.take('a', { perSec: 1, burst: 10 }, 1)], [0, 1000])
    })

    it('evict the least recently seen client when there are too many', () => {
      const { budgets } = open(2)
      budgets.take('a', ANONYMOUS, 150)
      budgets.take('b', ANONYMOUS, 150)
      budgets.take('a', ANONYMOUS, 1)
      budgets.take('c', ANONYMOUS, 1)
      assert.equal(budgets.size, 2)
      assert.ok(budgets.take('a', ANONYMOUS, 1) > 0)
      assert.equal(budgets.take('b', ANONYMOUS, 150), 0)
      for (let i = 0; i < 1000; i++) budgets.take(`client ${i}`, ANONYMOUS, 1)
      assert.equal(budgets.size, 2)
    })
  })
}
