import assert from 'node:assert/strict'
import { concatBytes, numberToBytes, toHash } from '@keelson/primitives'
import { findAttestedCalls } from './attested-call-data.ts'
import { encodeAttest, type SignedAttestation } from './staking-transactions.ts'

const hash = (byte: string) => toHash(`0x${byte.repeat(32)}`)
const signed = (seed: number): SignedAttestation => ({
  attestation: { epoch: 7, checkpointNumber: 100, checkpointHash: hash('aa'), l1OriginNumber: 20 + seed, l1OriginHash: hash('bb') },
  signature: new Uint8Array(65).fill(seed),
})
const EVENT = { epoch: 7, checkpointNumber: 100, checkpointHash: hash('aa') }
const WORD = 32

describe('attestations in call data', () => {
  it('are found in a call of the contract', () => assert.deepEqual(findAttestedCalls(encodeAttest(signed(1)), EVENT), [signed(1)]))

  it('are found in a call that passes on several', () => {
    const wrapped = concatBytes(
      Uint8Array.of(1, 2, 3, 4),
      ...[1, 2, 3].flatMap((seed) => [new Uint8Array(seed * 5), encodeAttest(signed(seed))]),
    )
    assert.deepEqual(findAttestedCalls(wrapped, EVENT), [signed(1), signed(2), signed(3)])
  })

  it('are found where the signature is in another place than usual, as the contract takes it', () => {
    const call = encodeAttest(signed(4))
    const tuple = call.subarray(0, 4 + 5 * WORD)
    const odd = concatBytes(tuple, numberToBytes(6 * WORD + 70, WORD), new Uint8Array(70), call.subarray(4 + 6 * WORD))
    assert.deepEqual(findAttestedCalls(odd, EVENT), [signed(4)])
  })

  it('are not those of another epoch or checkpoint, nor what is cut off or has numbers that are none', () => {
    const call = encodeAttest(signed(1))
    assert.deepEqual(findAttestedCalls(call, { ...EVENT, epoch: 8 }), [])
    assert.deepEqual(findAttestedCalls(call, { ...EVENT, checkpointNumber: 99 }), [])
    assert.deepEqual(findAttestedCalls(call, { ...EVENT, checkpointHash: hash('ab') }), [])
    for (let length = 0; length < 4 + 7 * WORD + 65; length++) assert.deepEqual(findAttestedCalls(call.subarray(0, length), EVENT), [])
    for (const word of [3, 5, 6]) {
      const broken = call.slice()
      broken.fill(0xff, 4 + word * WORD, 4 + (word + 1) * WORD)
      assert.deepEqual(findAttestedCalls(broken, EVENT), [], `word ${word}`)
    }
  })
})
