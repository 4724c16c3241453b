import assert from 'node:assert/strict'
import { ZERO_HASH } from '@keelson/primitives'
import { createL1Pace, l1AgeLimitSec } from './l1-pace.ts'

describe('the pace of L1', () => {
  const at = (number: number, timestampSec: number) => ({ hash: ZERO_HASH, number, parentHash: ZERO_HASH, timestampSec })

  it('is the median gap between heads, whatever heads were skipped, and is not spoilt by one stop', () => {
    const pace = createL1Pace()
    pace.note(at(10, 100))
    assert.equal(pace.blockTimeSec, null)
    for (const head of [at(11, 104), at(13, 112), at(14, 300), at(15, 304)]) pace.note(head)
    assert.equal(pace.blockTimeSec, 4)
    pace.note(at(9, 96))
    assert.equal(pace.blockTimeSec, 4)
  })

  it('bounds the age of its head: an L1 of 4 s that was silent for 107 s is not young', () => {
    assert.equal(l1AgeLimitSec(120, 4), 40)
    assert.equal(l1AgeLimitSec(120, 12), 120)
    assert.equal(l1AgeLimitSec(120, 1), 30)
    assert.equal(l1AgeLimitSec(120, null), 120)
    assert.equal(l1AgeLimitSec(20, 4), 20)
  })
})
