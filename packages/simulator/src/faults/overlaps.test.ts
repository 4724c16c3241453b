import assert from 'node:assert/strict'
import { Overlaps } from './overlaps.ts'

describe('faults that overlap', () => {
  it('end one by one: what is in force follows from those that last', () => {
    const overlaps = new Overlaps<number>()
    const seen: (readonly number[])[] = []
    const note = (values: readonly number[]) => seen.push(values)
    const first = overlaps.begin('disk', 10, note)
    const second = overlaps.begin('disk', 20, note)
    first()
    first()
    second()
    assert.deepEqual(seen, [[10], [10, 20], [20], []])
  })

  it('do not touch another place', () => {
    const overlaps = new Overlaps<null>()
    const seen: number[] = []
    overlaps.begin('a', null, () => undefined)
    overlaps.begin('b', null, ({ length }) => seen.push(length))()
    assert.deepEqual(seen, [1, 0])
  })
})
