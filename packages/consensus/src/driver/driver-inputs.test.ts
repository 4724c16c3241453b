import assert from 'node:assert/strict'
import { ZERO_HASH } from '@keelson/primitives'
import { makePayload } from '../../../../test/support/payloads.ts'
import { DriverInputs } from './driver-inputs.ts'

describe('driver inputs', () => {
  const l1Origin = { hash: ZERO_HASH, number: 0 }
  const envelope = makePayload({ number: 1, parentHash: ZERO_HASH, timestampSec: 2, l1Origin, sequenceNumber: 1 })

  it('queue unsafe blocks in order up to the limit, and the last reset in any case', () => {
    const inputs = new DriverInputs(3)
    assert.equal(inputs.push({ kind: 'unsafe-payload', envelope, from: 'a' }), 'queued')
    assert.equal(inputs.push({ kind: 'reset', reason: 'x' }), 'queued')
    assert.equal(inputs.push({ kind: 'unsafe-payload', envelope, from: 'b' }), 'queued')
    assert.equal(inputs.push({ kind: 'unsafe-payload', envelope, from: 'c' }), 'full')
    assert.equal(inputs.push({ kind: 'reset', reason: 'y' }), 'queued')
    assert.equal(inputs.size, 3)
    assert.deepEqual(
      inputs.drain().map((input) => (input.kind === 'reset' ? input.reason : input.from)),
      ['a', 'b', 'y'],
    )
    assert.equal(inputs.size, 0)
  })

  it('wake every waiting caller when one arrives', async () => {
    const inputs = new DriverInputs(3)
    const waiting = Promise.all([inputs.wait(), inputs.wait()])
    inputs.push({ kind: 'reset', reason: 'x' })
    await waiting
  })
})
