import assert from 'node:assert/strict'
import { closestName } from './closest-name.ts'

const KNOWN = ['run', 'register', 'stake', 'unstake', 'status']

describe('the name that was probably meant', () => {
  it('differs by a letter in three, a swap of neighbours counted as one', () => {
    for (const [given, meant] of [
      ['rnu', 'run'],
      ['statsu', 'status'],
      ['regster', 'register'],
      ['stakee', 'stake'],
      ['rum', 'run'],
    ] as const)
      assert.equal(closestName(given, KNOWN), meant, given)
  })

  it('is none when nothing is near', () => {
    for (const given of ['nonsense', 'x', 'nur']) assert.equal(closestName(given, KNOWN), null, given)
  })
})
