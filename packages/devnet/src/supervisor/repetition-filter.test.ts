import assert from 'node:assert/strict'
import { createRepetitionFilter } from './repetition-filter.ts'

describe('the repetition filter', () => {
  it('says a thing at once, holds it back while it repeats, and then tells how often', () => {
    let now = 0
    const filter = createRepetitionFilter(() => now)
    assert.equal(filter.pass('a', 'stuck'), 'stuck')
    for (now = 1000; now < 15_000; now += 1000) assert.equal(filter.pass('a', 'stuck'), null)
    assert.equal(filter.pass('b', 'other'), 'other')
    assert.equal(filter.pass('a', 'stuck'), 'stuck (and 14 times before)')
    now += 15_000
    assert.equal(filter.pass('a', 'stuck'), 'stuck')
  })
})
