import assert from 'node:assert/strict'
import { ProcessorShare } from './processor-share.ts'

describe('a share of a processor', () => {
  it('is lent on credit, and paid back at its rate', () => {
    let nowMs = 1_000
    const share = new ProcessorShare({ share: 0.5, burstMs: 100 }, () => nowMs)
    share.spend(99)
    assert.ok(share.isLeft)
    share.spend(51)
    assert.ok(!share.isLeft)
    nowMs += 100
    assert.ok(!share.isLeft)
    nowMs += 1
    assert.ok(share.isLeft)
  })

  it('does not grow beyond the burst', () => {
    let nowMs = 0
    const share = new ProcessorShare({ share: 0.5, burstMs: 100 }, () => nowMs)
    nowMs += 60_000
    assert.ok(share.isLeft)
    share.spend(100)
    assert.ok(!share.isLeft)
  })
})
