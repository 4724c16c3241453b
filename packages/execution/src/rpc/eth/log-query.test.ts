import assert from 'node:assert/strict'
import { type Address, type Hash, type Log, logsBloom } from '@keelson/primitives'
import { RpcError } from '@keelson/runtime'
import fc from 'fast-check'
import { bloomMayMatch, matchesLog, parseLogCriteria } from './log-query.ts'

const address = (i: number) => `0x${String(i).repeat(40)}` as Address
const topic = (i: number) => `0x${String(i).repeat(64)}` as Hash
const limits = { maxFilterTerms: 4 }

describe('log filters', () => {
  it('parse one or many addresses, alternatives, and unspecified positions', () => {
    assert.deepEqual(parseLogCriteria({}, limits), { addresses: [], topics: [] })
    assert.deepEqual(parseLogCriteria({ address: address(1), topics: [null, topic(1), [topic(2), topic(3)]] }, limits), {
      addresses: [address(1)],
      topics: [[], [topic(1)], [topic(2), topic(3)]],
    })
    assert.deepEqual(parseLogCriteria({ topics: [[null, topic(1)]] }, limits).topics, [[]], 'null among alternatives frees the position')
    const refused = (value: unknown) =>
      assert.throws(
        () => parseLogCriteria(value, limits),
        (e) => !(e instanceof TypeError),
      )
    refused({ topics: [topic(1), topic(1), topic(1), topic(1), topic(1)] })
    refused({ address: [1, 2, 3, 4, 5].map(address) })
    refused({ address: '0x12' })
    assert.throws(() => parseLogCriteria({ address: [1, 2, 3].map(address), topics: [[topic(1), topic(2)]] }, limits), {
      number: -32602,
      message: 'exceed max addresses or topics per search position: 5 addresses and topics, at most 4 in one query; split it',
    })
    assert.throws(() => parseLogCriteria({ topics: Array(5).fill(null) }, limits), RpcError)
  })

  it('never miss a matching log because of the bloom filter', () => {
    const small = fc.integer({ min: 1, max: 4 })
    const log = fc.record({ address: small, topics: fc.array(small, { maxLength: 4 }) })
    const criteria = fc.record({
      addresses: fc.array(small, { maxLength: 2 }),
      topics: fc.array(fc.array(small, { maxLength: 2 }), { maxLength: 4 }),
    })
    fc.assert(
      fc.property(fc.array(log, { maxLength: 5 }), criteria, (logs, wanted) => {
        const made: Log[] = logs.map((l) => ({ address: address(l.address), topics: l.topics.map(topic), data: new Uint8Array(0) }))
        const filter = { addresses: wanted.addresses.map(address), topics: wanted.topics.map((alternatives) => alternatives.map(topic)) }
        if (made.some((l) => matchesLog(l, filter))) assert.ok(bloomMayMatch(logsBloom(made), filter))
      }),
    )
  })

  it('match by position, and never a log with fewer topics', () => {
    const log: Log = { address: address(1), topics: [topic(1), topic(2)], data: new Uint8Array(0) }
    const matches = (topics: Hash[][], addresses: Address[] = []) => matchesLog(log, { addresses, topics })
    assert.ok(matches([]) && matches([[topic(1)]]) && matches([[], [topic(2), topic(3)]]) && matches([[], []], [address(1), address(2)]))
    assert.ok(!matches([[topic(2)]]) && !matches([[], [], []]) && !matches([], [address(2)]))
  })
})
