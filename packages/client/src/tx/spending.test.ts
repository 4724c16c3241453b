import assert from 'node:assert/strict'
import { createManualClock, createMemoryStore } from '@keelson/runtime'
import { createTransactionJournal } from './journal.ts'
import { createSpending } from './spending.ts'
import { CHAIN_ID, signer } from './tx-manager.test-support.ts'

const HOUR_MS = 3_600_000
const YEAR_MS = 365 * 24 * HOUR_MS

describe('what the last hour cost', () => {
  it('forgets within an hour what a clock that ran a year ahead has dated, after any number of restarts', async () => {
    const store = createMemoryStore()
    const journal = createTransactionJournal(store, CHAIN_ID, signer.address)
    const clock = createManualClock(1_700_000_000_000)
    await journal.remove(3n, { atMs: clock.nowMs() + YEAR_MS, feeWei: 5n })
    await journal.remove(4n, { atMs: clock.nowMs(), feeWei: 7n })
    const first = createSpending(journal, clock)
    await first.load()
    assert.equal(first.lastHourWei(), 12n)
    await clock.advance(HOUR_MS / 2)
    const second = createSpending(journal, clock)
    await second.load()
    assert.equal(second.lastHourWei(), 12n)
    await clock.advance(HOUR_MS / 2 + 1)
    for (const spending of [first, second]) assert.equal(spending.lastHourWei(), 0n)
    await second.load()
    assert.equal(second.lastHourWei(), 0n)
  })

  it('counts an hour from when the clock went back while it runs', async () => {
    const clock = createManualClock(1_700_000_000_000)
    const spending = createSpending({ loadPayments: async () => [] }, clock)
    spending.add({ atMs: clock.nowMs() + YEAR_MS, feeWei: 5n })
    assert.equal(spending.lastHourWei(), 5n)
    await clock.advance(HOUR_MS + 1)
    assert.equal(spending.lastHourWei(), 0n)
  })
})
