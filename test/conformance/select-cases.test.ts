import assert from 'node:assert/strict'
import { selectCases } from './select-cases.ts'

const ALL = Array.from({ length: 101 }, (_, i) => ({ id: `case ${i}`, long: i % 10 === 0, run: () => undefined }))
const EVERYTHING = { grep: null, sample: null, shard: { index: 0, count: 1 } }
const WHOLE = { index: 0, count: 1 }
const ids = (cases: readonly { id: string }[]) => cases.map(({ id }) => id).sort()

describe('the selection of conformance cases', () => {
  it('gives every case to exactly one worker of one shard', () => {
    const parts = [0, 1, 2].flatMap((shard) =>
      [0, 1].flatMap((slice) => selectCases(ALL, { ...EVERYTHING, shard: { index: shard, count: 3 } }, { index: slice, count: 2 })),
    )
    assert.deepEqual(ids(parts), ids(ALL))
  })

  it('takes the same evenly spread sample every time, without long cases', () => {
    const sample = selectCases(ALL, { ...EVERYTHING, sample: 20 }, WHOLE)
    assert.equal(sample.length, 20)
    assert.ok(sample.every(({ long }) => !long))
    assert.deepEqual(sample, selectCases(ALL, { ...EVERYTHING, sample: 20 }, WHOLE))
    assert.deepEqual(ids(selectCases(ALL, { ...EVERYTHING, sample: 1000 }, WHOLE)), ids(ALL.filter(({ long }) => !long)))
  })

  it('puts long cases last', () => {
    const order = selectCases(ALL, EVERYTHING, WHOLE).map(({ long }) => long)
    assert.equal(order.indexOf(true), ALL.filter(({ long }) => !long).length)
  })

  it('filters by name', () => {
    assert.deepEqual(ids(selectCases(ALL, { ...EVERYTHING, grep: 'case 10' }, WHOLE)), ['case 10', 'case 100'])
  })
})
