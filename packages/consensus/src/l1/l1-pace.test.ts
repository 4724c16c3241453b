import assert from 'node:assert/strict'
import { ZERO_HASH } from '@keelson/primitives'
import { createL1Pace, l1AgeLimitSec } from './l1-pace.ts'

describe('the pace of L1', () => {
  const at = (number: number, timestampSec: number) => ({ hash: ZERO_HASH, number, parentHash: ZERO_HASH, timestampSec })

  it('is the median gap between heads, also with skipped heads and one long gap', () => {
    const pace = createL1Pace()
    pace.note(at(10, 100))
    assert.equal(pace.blockTimeSec, null)
    for (const head of [at(11, 104), at(13, 112), at(14, 300), at(15, 304)]) pace.note(head)
    assert.equal(pace.blockTimeSec, 4)
    pace.note(at(9, 96))
    assert.equal(pace.blockTimeSec, 4)
  })

  it('limits the age of the head by the block time', () => {
    assert.equal(l1AgeLimitSec(120, 4), 40)
    assert.equal(l1AgeLimitSec(120, 12), 120)
    assert.equal(l1AgeLimitSec(120, 1), 30)
    assert.equal(l1AgeLimitSec(120, null), 120)
    assert.equal(l1AgeLimitSec(20, 4), 20)
  })
})
