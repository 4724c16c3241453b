import assert from 'node:assert/strict'
import { CodecError, type ExecutionPayload, ZERO_HASH } from '@keelson/primitives'
import fc from 'fast-check'
import { makePayload } from '../../../../test/support/payloads.ts'
import { decodePayloadSsz, encodePayloadSsz, type PayloadVersion, payloadVersion } from './ssz-payload.ts'

const request = {
  number: 7,
  parentHash: ZERO_HASH,
  timestampSec: 1_800_000_014,
  l1Origin: { hash: ZERO_HASH, number: 3 },
  sequenceNumber: 0,
}
const plain = (payload: ExecutionPayload) => ({ ...payload, transactions: payload.transactions.map((tx) => new Uint8Array(tx)) })

describe('SSZ payloads', () => {
  for (const version of [1, 2, 3, 4] as const) {
    it(`come back as they were, version ${version}`, () => {
      fc.assert(
        fc.property(
          fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 8 }),
          fc.uint8Array({ maxLength: 32 }),
          fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }),
          (transactions, extraData, baseFeeWei) => {
            const { payload } = makePayload({ ...request, version, change: { transactions, extraData, baseFeeWei } })
            assert.equal(payloadVersion(payload), version)
            assert.deepEqual(decodePayloadSsz(version, encodePayloadSsz(payload)), plain(payload))
          },
        ),
        { numRuns: 50 },
      )
    })
  }

  it('refuse every truncation and every other version with a coded error', () => {
    const { payload } = makePayload({ ...request, transactions: [Uint8Array.of(1, 2, 3)] })
    const raw = encodePayloadSsz(payload)
    for (const length of [0, 100, 507, 559]) assert.throws(() => decodePayloadSsz(4, raw.subarray(0, length)), CodecError)
    for (const version of [1, 2, 3] as const) assert.throws(() => decodePayloadSsz(version, raw), CodecError)
  })

  it('never throw anything but a coded error on arbitrary bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 500, maxLength: 1_000 }), fc.constantFrom<PayloadVersion>(1, 2, 3, 4), (raw, version) => {
        try {
          decodePayloadSsz(version, raw)
        } catch (error) {
          assert.ok(error instanceof CodecError, String(error))
        }
      }),
      { numRuns: 300 },
    )
  })

  it('refuse transaction offsets that run backwards', () => {
    const { payload } = makePayload({ ...request, change: { transactions: [Uint8Array.of(1), Uint8Array.of(2), Uint8Array.of(3)] } })
    const raw = encodePayloadSsz(payload)
    const at = 560 + payload.extraData.length
    new DataView(raw.buffer).setUint32(at + 4, 200, true)
    assert.throws(() => decodePayloadSsz(4, raw), /Offset out of bounds 200/)
  })
})
