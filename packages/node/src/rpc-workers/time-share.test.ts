import assert from 'node:assert/strict'
import { createTimeShare } from './time-share.ts'

describe('the time of a thread', () => {
  it('is divided among the reads that run on it concurrently', () => {
    let busyMs = 100
    const share = createTimeShare(() => busyMs)
    share.begin(1)
    busyMs += 10
    share.begin(2)
    busyMs += 20
    assert.equal(share.end(1), 20)
    busyMs += 5
    assert.equal(share.end(2), 15)
    busyMs += 1_000
    share.begin(3)
    busyMs += 7
    assert.equal(share.end(3), 7, "time without reads is nobody's")
    assert.equal(share.end(4), 0)
  })
})
