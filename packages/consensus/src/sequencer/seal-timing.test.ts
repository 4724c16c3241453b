import assert from 'node:assert/strict'
import { createSealTiming } from './seal-timing.ts'

describe('when sealing begins', () => {
  it('is a fixed margin before the block’s time while sealing is quick', () => {
    const timing = createSealTiming(50, 2_000)
    assert.equal(timing.leadMs, 50)
    timing.sealed(20)
    assert.equal(timing.leadMs, 50)
  })

  it('is as early as the slowest of the last blocks needed, and late again when that is long ago', () => {
    const timing = createSealTiming(50, 2_000)
    timing.sealed(400)
    for (let i = 0; i < 7; i++) timing.sealed(10)
    assert.equal(timing.leadMs, 400)
    timing.sealed(10)
    assert.equal(timing.leadMs, 50)
  })

  it('leaves half of the block time to transactions, however slow sealing is', () => {
    const timing = createSealTiming(50, 2_000)
    timing.sealed(30_000)
    assert.equal(timing.leadMs, 1_000)
    assert.equal(createSealTiming(50, 0).leadMs, 50)
  })
})
