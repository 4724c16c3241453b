import assert from 'node:assert/strict'
import { closestName } from './closest-name.ts'

const KNOWN = ['run', 'register', 'stake', 'unstake', 'status']

describe('the closest known name', () => {
  it('differs by at most one letter in three, counting a swap of neighbours as one', () => {
    for (const [given, meant] of [
      ['rnu', 'run'],
      ['statsu', 'status'],
      ['regster', 'register'],
      ['stakee', 'stake'],
      ['rum', 'run'],
    ] as const)
      assert.equal(closestName(given, KNOWN), meant, given)
  })

  it('is null when none is near', () => {
    for (const given of ['nonsense', 'x', 'nur']) assert.equal(closestName(given, KNOWN), null, given)
  })
})
