import assert from 'node:assert/strict'
import { createManualClock } from '@keelson/runtime'
import { createGossipParts } from './gossip-parts.ts'

const ADDRESSES: Readonly<Record<string, string>> = {
  a: '203.0.113.1',
  b: '203.0.113.1',
  trusted: '203.0.113.1',
  c: '203.0.113.2',
  d: '2001:db8::1',
  e: '2001:db8::2',
  local: '127.0.0.1',
  local2: '127.0.0.1',
}

describe('frames of gossip', () => {
  it('of many peers at one address share one rate: new peer ids buy no more of the thread', () => {
    const partsOf = createGossipParts({
      clock: createManualClock(),
      isTrusted: (peerId) => peerId === 'trusted',
      addressOf: (peerId) => ADDRESSES[peerId] ?? null,
    })
    const takesAll = (peerId: string) => partsOf(peerId).tryTake(16_384)
    assert.deepEqual(['a', 'b', 'c', 'd', 'e'].map(takesAll), [true, false, true, true, false])
    assert.deepEqual(['trusted', 'local', 'local2', 'unknown', 'unknown2'].map(takesAll), Array(5).fill(true))
  })

  it('of a peer that opens one stream after another share one rate, on this machine too', () => {
    const partsOf = createGossipParts({
      clock: createManualClock(),
      isTrusted: () => false,
      addressOf: (peerId) => ADDRESSES[peerId] ?? null,
    })
    for (const peerId of ['c', 'local', 'unknown']) {
      const streams = [partsOf(peerId), partsOf(peerId), partsOf(peerId)]
      assert.deepEqual(
        streams.map((bucket) => bucket.tryTake(16_384)),
        [true, false, false],
        peerId,
      )
    }
  })
})
