import assert from 'node:assert/strict'
import { daysText, poolDaysLeft } from './reward-pool.ts'

const TOKEN = 10n ** 18n

describe('the reward pool', () => {
  it('lasts as many days as it has days of full rewards', () => {
    const terms = { rewardPerBlockWei: 2n * TOKEN }
    assert.equal(poolDaysLeft(86_400n * TOKEN, terms, 2), 1)
    assert.equal(Math.floor(poolDaysLeft(10_000_000n * TOKEN, terms, 2)), 115)
    assert.equal(poolDaysLeft(0n, terms, 2), 0)
    assert.equal(poolDaysLeft(TOKEN, { rewardPerBlockWei: 0n }, 2), Number.POSITIVE_INFINITY)
  })

  it('is described in whole days, and finer at the end', () => {
    assert.deepEqual([115.7, 9.99, 1, 0.5, 0, Number.POSITIVE_INFINITY].map(daysText), [
      '115 days',
      '9.9 days',
      '1.0 days',
      'about 12 hours',
      'about 0 hours',
      'for ever',
    ])
  })
})
