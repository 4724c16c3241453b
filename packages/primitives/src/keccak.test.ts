import assert from 'node:assert/strict'
import { keccak_256 } from '@noble/hashes/sha3.js'
import fc from 'fast-check'
import { bytesToHex } from './hex.ts'
import { KeccakStream, keccak256, keccak256Hash } from './keccak.ts'

function pattern(length: number): Uint8Array {
  const out = new Uint8Array(length)
  let state = length + 1
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    out[i] = state >>> 16
  }
  return out
}

const agrees = (data: Uint8Array) => assert.equal(bytesToHex(keccak256(data)), bytesToHex(keccak_256(data)), `${data.length} bytes`)

describe('keccak256', () => {
  it('gives the published hashes', () => {
    assert.equal(keccak256Hash(new Uint8Array(0)), '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470')
    assert.equal(keccak256Hash(new TextEncoder().encode('abc')), '0x4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45')
  })

  it('agrees with noble at every length up to eight blocks', () => {
    for (let length = 0; length <= 8 * 136 + 1; length++) agrees(pattern(length))
  })

  it('agrees with noble where the input passes the module in chunks', () => {
    const chunk = 963 * 136
    for (const length of [chunk - 137, chunk - 136, chunk - 1, chunk, chunk + 1, 2 * chunk - 1, 2 * chunk, 2 * chunk + 135, 1_000_003]) {
      agrees(pattern(length))
    }
  })

  it('agrees with noble on any bytes, and on views into larger buffers', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1000 }), fc.nat(20), (data, from) => agrees(data.subarray(Math.min(from, data.length)))),
    )
  })

  it('does not change its input and returns a new array to each caller', () => {
    const data = pattern(200)
    const copy = data.slice()
    const first = keccak256(data)
    const kept = first.slice()
    keccak256(pattern(64))
    assert.deepEqual(first, kept)
    assert.deepEqual(data, copy)
    assert.equal(first.buffer.byteLength, 32)
  })
})

describe('a running Keccak-256', () => {
  it('agrees with noble after each part, whatever the parts are, beside another one', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 12 }), (parts) => {
        const [stream, other, expected] = [new KeccakStream(), new KeccakStream(), keccak_256.create()]
        for (const part of parts) {
          stream.update(part)
          other.update(Uint8Array.of(1))
          expected.update(part)
          assert.deepEqual(stream.digest(), expected.clone().digest())
          assert.deepEqual(stream.digest(), expected.clone().digest(), 'a second time')
        }
      }),
    )
  })

  it('agrees with noble where a part passes the module in chunks', () => {
    const [stream, expected] = [new KeccakStream(), keccak_256.create()]
    for (const length of [0, 135, 1, 136, 963 * 136 - 1, 963 * 136, 1_000_003]) {
      stream.update(pattern(length))
      expected.update(pattern(length))
      assert.equal(bytesToHex(stream.digest()), bytesToHex(expected.clone().digest()), `${length} bytes`)
    }
  })
})
