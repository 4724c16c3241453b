import assert from 'node:assert/strict'
import { createSealTiming } from './seal-timing.ts'

describe('the start of sealing', () => {
  it('is a fixed margin before the block’s time while sealing is fast', () => {
    const timing = createSealTiming(50, 2_000)
    assert.equal(timing.leadMs, 50)
    timing.sealed(20)
    assert.equal(timing.leadMs, 50)
  })

  it('follows the slowest of the last blocks', () => {
    const timing = createSealTiming(50, 2_000)
    timing.sealed(400)
    for (let i = 0; i < 7; i++) timing.sealed(10)
    assert.equal(timing.leadMs, 400)
    timing.sealed(10)
    assert.equal(timing.leadMs, 50)
  })

  it('leaves half of the block time for transactions, however slow sealing is', () => {
    const timing = createSealTiming(50, 2_000)
    timing.sealed(30_000)
    assert.equal(timing.leadMs, 1_000)
    assert.equal(createSealTiming(50, 0).leadMs, 50)
  })
})
