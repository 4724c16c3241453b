import assert from 'node:assert/strict'
import { type Hash, type Log, toAddress, toHash } from '@keelson/primitives'
import fc from 'fast-check'
import { type LogCriteria, matchesLog } from '../eth/log-query.ts'
import { createLogIndex } from './filter-index.ts'

const address = (i: number) => toAddress(`0x${i.toString(16).padStart(40, '0')}`)
const topic = (i: number) => toHash(new Uint8Array(32).fill(i))
const logOf = (at: number, topics: readonly number[]): Log => ({ address: address(at), topics: topics.map(topic), data: new Uint8Array(0) })

const criteria: fc.Arbitrary<LogCriteria> = fc.record({
  addresses: fc.array(fc.nat(3).map(address), { maxLength: 3 }),
  topics: fc.array(fc.array(fc.nat(2).map(topic), { maxLength: 2 }), { maxLength: 4 }),
})
const log = fc.record({ at: fc.nat(4), topics: fc.array(fc.nat(3), { maxLength: 4 }) }).map(({ at, topics }) => logOf(at, topics))

describe('the index of log filters', () => {
  it('finds each matching filter once, after any additions and removals', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(criteria, fc.boolean()), { maxLength: 12 }), fc.array(log, { maxLength: 6 }), (filters, logs) => {
        const index = createLogIndex<number>()
        for (const [i, [each]] of filters.entries()) index.add(i, each)
        for (const [i, [each, stays]] of filters.entries()) if (!stays) index.remove(i, each)
        for (const each of logs) {
          const expected = filters.flatMap(([filter, stays], i) => (stays && matchesLog(each, filter) ? [i] : []))
          const found = index.matching(each, () => undefined)
          assert.deepEqual(
            [...found].sort((a, b) => a - b),
            expected,
          )
        }
      }),
    )
  })

  it('compares a log with the filters that name its address or topic, not with the thousands that do not', () => {
    const index = createLogIndex<number>()
    const TERMS = 999
    for (let i = 0; i < 768; i++) {
      const others = Array.from({ length: TERMS }, (_, k) => 1_000 + i * TERMS + k)
      const addresses = i % 2 === 0 ? [...others, ...(i < 4 ? [7] : [])].map(address) : []
      const topics: Hash[][] =
        i % 2 === 0 ? [] : [[...others.map((n) => toHash(`0x${n.toString(16).padStart(64, '0')}`)), ...(i === 1 ? [topic(9)] : [])]]
      index.add(i, { addresses, topics })
    }
    let compared = 0
    const found = index.matching(logOf(7, [9]), () => compared++)
    assert.deepEqual([...found].sort(), [0, 1, 2])
    assert.equal(compared, 3)
  })
})
