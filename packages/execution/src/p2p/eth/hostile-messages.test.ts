import assert from 'node:assert/strict'
import { CodecError, NodeError, type Random, rlpEncode } from '@keelson/primitives'
import { createSeededRandom } from '@keelson/runtime'
import { decodeIdentified } from '../requests/identified.ts'
import { RequestTracker } from '../requests/request-tracker.ts'
import { decodeHashes, decodeHeadersQuery } from './eth-messages.ts'
import { receiptFromPeer } from './receipt-forms.ts'
import { decodeReceiptsPage, decodeReceiptsQuery } from './receipts-messages.ts'
import { decodeBlockRange, decodeStatus } from './status.ts'

const never = new AbortController().signal

describe('hostile eth messages', () => {
  it('throw coded errors only', () => {
    const random = createSeededRandom(11)
    const decoders: readonly ((payload: Uint8Array) => unknown)[] = [
      decodeIdentified,
      decodeHashes,
      decodeHeadersQuery,
      decodeBlockRange,
      (payload) => decodeStatus(68, payload),
      (payload) => decodeStatus(69, payload),
      (payload) => decodeReceiptsQuery(70, decodeIdentified(payload).fields),
      (payload) => decodeReceiptsPage(70, decodeIdentified(payload).fields, 10),
      (payload) => receiptFromPeer(68, payload),
      (payload) => receiptFromPeer(69, payload),
    ]
    for (let i = 0; i < 3_000; i++) {
      const payload = mutated(random)
      for (const decode of decoders) {
        try {
          decode(payload)
        } catch (error) {
          assert.ok(error instanceof NodeError, `${String(error)} for ${Buffer.from(payload).toString('hex')}`)
        }
      }
    }
  })

  it('cannot ask for more hashes than a message may have', () => {
    const hashes = Array.from({ length: 4_097 }, () => new Uint8Array(32))
    assert.throws(() => decodeHashes(rlpEncode(hashes)), CodecError)
    assert.equal(decodeHashes(rlpEncode(hashes.slice(1))).length, 4_096)
  })

  it('may answer a request that was given up, but not without end', async () => {
    const tracker = new RequestTracker(async () => undefined)
    const late = rlpEncode([77, []])
    for (let i = 0; i < 64; i++) tracker.receive(4, late)
    assert.throws(() => tracker.receive(4, late), { code: 'p2p/message' })
  })

  it('may answer every request that was cancelled', async () => {
    const tracker = new RequestTracker(async () => undefined)
    for (let id = 1; id <= 100; id++) {
      const leaving = new AbortController()
      const answered = tracker.request(3, 4, [[]], leaving.signal)
      leaving.abort(new Error('too late'))
      await assert.rejects(answered, /too late/)
      tracker.receive(4, rlpEncode([id, []]))
    }
  })

  it('cannot answer with another message than the request expects', async () => {
    const tracker = new RequestTracker(async () => undefined)
    const answered = tracker.request(3, 4, [[]], never)
    assert.throws(() => tracker.receive(6, rlpEncode([1, []])), CodecError)
    tracker.receive(4, rlpEncode([1, [5]]))
    assert.deepEqual(await answered, [rlpEncode([5])])
  })
})

function mutated(random: Random): Uint8Array {
  const below = (limit: number) => Math.floor(random.next() * limit)
  const seed = rlpEncode([
    below(3) === 0 ? 69 : random.bytes(below(9)),
    [random.bytes(below(34)), [random.bytes(20), [random.bytes(32)], random.bytes(below(40))]],
    random.bytes(32),
    [random.bytes(4), below(9)],
    below(5),
    below(700),
    random.bytes(32),
  ])
  for (let i = below(4); i > 0; i--) seed[below(seed.length)] = below(256)
  return below(10) === 0 ? random.bytes(below(50)) : seed
}
