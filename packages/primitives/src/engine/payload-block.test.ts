import assert from 'node:assert/strict'
import { payloadLies } from '../../../../test/support/payload-lies.ts'
import { makePayload } from '../../../../test/support/payloads.ts'
import { ZERO_HASH } from '../block/header.ts'
import { payloadMismatch } from './payload-block.ts'

describe('what the hash of a payload covers', () => {
  for (const version of [1, 2, 3, 4] as const) {
    it(`is every field, in version ${version}`, () => {
      const { payload, parentBeaconBlockRoot } = makePayload({
        number: 9,
        parentHash: ZERO_HASH,
        timestampSec: 1_800_000_000,
        l1Origin: { hash: ZERO_HASH, number: 1 },
        sequenceNumber: 0,
        transactions: [Uint8Array.of(2, 3, 4)],
        version,
      })
      assert.equal(payloadMismatch(payload, parentBeaconBlockRoot), null)
      for (const { name, envelope } of payloadLies({ payload, parentBeaconBlockRoot })) {
        assert.ok(payloadMismatch(envelope.payload, envelope.parentBeaconBlockRoot) !== null, name)
      }
      const absent = { ...payload, withdrawals: null }
      assert.equal(payloadMismatch(absent, parentBeaconBlockRoot) === null, version === 1, 'a list that is not there')
    })
  }
})
