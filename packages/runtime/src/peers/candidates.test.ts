import assert from 'node:assert/strict'
import { createManualClock } from '../clock.ts'
import { createCandidates } from './candidates.ts'

const all = () => true
const node = (peerId: string, ip: string) => ({ peerId, address: `/ip4/${ip}/tcp/1`, ip })

describe('nodes to dial', () => {
  it('are tried again after a pause that doubles, then forgotten', async () => {
    const clock = createManualClock(1_800_000_000_000)
    const candidates = createCandidates(clock)
    candidates.add(node('a', '192.0.2.1'))
    for (const pauseMs of [10_000, 20_000, 40_000]) {
      assert.equal(candidates.due(4, all).length, 1)
      candidates.dialled('a', false)
      await clock.advance(pauseMs - 1)
      assert.equal(candidates.due(4, all).length, 0)
      await clock.advance(1)
    }
    for (let i = 0; i < 10; i++) candidates.dialled('a', false)
    assert.equal(candidates.size, 0)
  })

  it('come in the order of their failures, and with a new address at once', async () => {
    const clock = createManualClock(1_800_000_000_000)
    const candidates = createCandidates(clock)
    for (const [i, peerId] of ['a', 'b', 'c'].entries()) candidates.add(node(peerId, `10.0.${i}.1`))
    candidates.dialled('a', false)
    candidates.rest('b')
    assert.deepEqual(
      candidates.due(4, all).map(({ peerId }) => peerId),
      ['c'],
    )
    candidates.add(node('a', '10.0.9.1'))
    assert.deepEqual(
      candidates
        .due(4, all)
        .map(({ peerId }) => peerId)
        .sort(),
      ['a', 'c'],
    )
    assert.deepEqual(
      candidates.due(1, ({ peerId }) => peerId !== 'c').map(({ peerId }) => peerId),
      ['a'],
    )
    await clock.advance(600_000)
    assert.equal(candidates.due(4, all).length, 3)
  })

  it('are limited: what failed most makes room', () => {
    const candidates = createCandidates(createManualClock(1_800_000_000_000))
    for (let i = 0; i < 1_000; i++) candidates.add({ peerId: `${i}`, address: 'x', ip: null })
    candidates.dialled('500', false)
    candidates.add({ peerId: 'new', address: 'x', ip: null })
    assert.equal(candidates.size, 1_000)
    assert.equal(candidates.due(2_000, ({ peerId }) => peerId === '500').length, 0)
    assert.equal(candidates.due(2_000, ({ peerId }) => peerId === 'new').length, 1)
  })

  it('a flood of records from one subnet does not evict honest nodes, which are still dialled', () => {
    const candidates = createCandidates(createManualClock(1_800_000_000_000))
    const honest = Array.from({ length: 40 }, (_, i) => node(`honest ${i}`, `198.51.${i}.1`))
    for (const each of honest) candidates.add(each)
    for (let i = 0; i < 5_000; i++) candidates.add({ ...node(`flood ${i}`, `203.0.113.${i % 256}`), address: `203.0.113.${i % 256}:${i}` })
    for (let i = 0; i < 5_000; i++) candidates.add(node(`flood6 ${i}`, `2001:db8:7:${i.toString(16)}::1`))
    assert.equal(candidates.size, 40 + 16 + 16)
    const due = candidates.due(1_000, all).map(({ peerId }) => peerId)
    assert.deepEqual(
      due.filter((peerId) => peerId.startsWith('honest')),
      honest.map(({ peerId }) => peerId),
    )
    assert.equal(due.length, 42, 'one of each subnet at a time')
  })

  it('a node that was reached once stays when fake ones fill the table', async () => {
    const clock = createManualClock(1_800_000_000_000)
    const candidates = createCandidates(clock)
    candidates.add(node('reached', '198.51.100.1'))
    candidates.dialled('reached', true)
    for (let i = 0; i < 3_000; i++) candidates.add(node(`${i}`, `203.${i >> 8}.${i & 255}.1`))
    assert.equal(candidates.size, 1_000)
    await clock.advance(10_000)
    assert.equal(candidates.due(2_000, ({ peerId }) => peerId === 'reached').length, 1)
  })
})
