import assert from 'node:assert/strict'
import { RPC } from '@chainsafe/libp2p-gossipsub/message'
import fc from 'fast-check'
import { protobuf } from '../../../../../test/support/raw-peer.ts'
import { countFrameParts, FRAME_LIMITS } from './gossip-frame.ts'

const NOTHING = new Uint8Array(0)
const TOPIC = '/optimism/84532/3/blocks'

function repeated(unit: Uint8Array, times: number): Uint8Array {
  const out = new Uint8Array(unit.length * times)
  for (let i = 0; i < times; i++) out.set(unit, i * unit.length)
  return out
}

describe('the parts of a gossip frame', () => {
  it('are counted in frames that clients send', () => {
    const ids = Array.from({ length: 5_000 }, (_, i) => new Uint8Array(20).fill(i))
    const frame = RPC.encode({
      subscriptions: Array.from({ length: 5 }, () => ({ subscribe: true, topic: TOPIC })),
      messages: Array.from({ length: 100 }, () => ({ topic: TOPIC, data: new Uint8Array(1_000) })),
      control: {
        ihave: [{ topicID: TOPIC, messageIDs: ids }],
        iwant: [],
        graft: [{ topicID: TOPIC }],
        prune: [{ topicID: TOPIC, peers: [{ peerID: new Uint8Array(20) }], backoff: 60 }],
        idontwant: [],
      },
    })
    assert.equal(countFrameParts(frame), 5 * 3 + 100 * 3 + 1 + (2 + 5_000) + 2 + (1 + 1 + 2 + 1))
    assert.equal(countFrameParts(NOTHING), 0)
  })

  it('of the smallest kind are rejected before ten megabytes of them are decoded', () => {
    const control = (entry: number, content: Uint8Array) => protobuf([3, protobuf([entry, content])])
    const empty = (field: number, times: number) => repeated(protobuf([field, NOTHING]), times)
    const floods: Record<string, Uint8Array> = {
      messages: empty(2, 5_000_000),
      subscriptions: empty(1, 5_000_000),
      'fields of one message': protobuf([2, empty(2, 5_000_000)]),
      'ids of one IHAVE': control(1, empty(2, 5_000_000)),
      'ids of one IWANT': control(2, empty(1, 5_000_000)),
      'ids of one IDONTWANT': control(5, empty(1, 5_000_000)),
      'IHAVE entries': protobuf([3, empty(1, 5_000_000)]),
      'GRAFT entries': protobuf([3, empty(3, 5_000_000)]),
      'peers of one PRUNE': control(4, empty(2, 5_000_000)),
      'control messages': empty(3, 5_000_000),
      'unknown fields': repeated(Uint8Array.of(15 * 8, 0), 5_000_000),
      'nested groups': new Uint8Array(5_000_000).fill(0x0b),
    }
    for (const [name, flood] of Object.entries(floods)) assert.equal(countFrameParts(flood), null, name)
  })

  it('are accepted up to the limits', () => {
    assert.equal(countFrameParts(repeated(protobuf([2, NOTHING]), FRAME_LIMITS.messages)), FRAME_LIMITS.messages)
    assert.equal(countFrameParts(repeated(protobuf([2, NOTHING]), FRAME_LIMITS.messages + 1)), null)
  })

  it('are not counted in a frame that is truncated or runs past its own end', () => {
    const frame = RPC.encode({ subscriptions: [], messages: [{ topic: TOPIC, data: new Uint8Array(10) }] })
    for (let end = 1; end < frame.length; end++) assert.equal(countFrameParts(frame.subarray(0, end)), null)
    assert.equal(countFrameParts(Uint8Array.of(0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)), null)
  })

  it('are counted in random bytes without an error, and never exceed the number of bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (frame) => {
        const parts = countFrameParts(frame)
        assert.ok(parts === null || parts <= frame.length)
      }),
      { numRuns: 5_000 },
    )
  })
})
