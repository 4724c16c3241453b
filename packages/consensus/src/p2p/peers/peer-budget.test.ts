import assert from 'node:assert/strict'
import { createManualClock } from '@keelson/runtime'
import { createPeerBudget } from './peer-budget.ts'

describe('what a peer may cost', () => {
  it('is spent by what it brings, comes back over time, and is no other peer’s', async () => {
    const clock = createManualClock(0)
    const budget = createPeerBudget({ perSec: 1, burst: 3 }, clock)
    for (let i = 0; i < 3; i++) {
      for (let look = 0; look < 10; look++) assert.equal(budget.isSpent('a'), false)
      budget.spend('a')
    }
    assert.equal(budget.isSpent('a'), true)
    assert.equal(budget.isSpent('b'), false)
    await clock.advance(1_000)
    assert.equal(budget.isSpent('a'), false)
    budget.spend('a')
    assert.equal(budget.isSpent('a'), true)
  })

  it('is charged for work in progress, and refunded for accepted results', () => {
    const budget = createPeerBudget({ perSec: 1, burst: 3 }, createManualClock(0))
    const charges = [budget.reserve('a'), budget.reserve('a'), budget.reserve('a')]
    assert.equal(budget.reserve('a'), null)
    assert.equal(budget.isSpent('a'), true)
    assert.notEqual(budget.reserve('b'), null)
    charges[0]?.refund()
    assert.notEqual(budget.reserve('a'), null)
    assert.equal(budget.reserve('a'), null)
  })
})
