import assert from 'node:assert/strict'
import { maxConsensusKeys } from './bounds-judge.ts'

const DAY_BLOCKS = 43_200

describe('the judge of bounds', () => {
  it('accepts a record of signed blocks that grows for two days, and not longer', () => {
    const most = (days: number) => maxConsensusKeys(true, days * DAY_BLOCKS)
    assert.ok(most(1) > DAY_BLOCKS)
    assert.equal(most(2) - most(1), DAY_BLOCKS)
    assert.equal(most(30), most(2))
  })

  it('accepts no more keys of a validator, which signs nothing, after a day than at the start', () => {
    assert.equal(maxConsensusKeys(false, DAY_BLOCKS), maxConsensusKeys(false, 0))
  })
})
