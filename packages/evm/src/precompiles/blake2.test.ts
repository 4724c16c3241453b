import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { bigintToBytes, bytesToHex, concatBytes, padLeft } from '@keelson/primitives'
import fc from 'fast-check'
import { blake2Compress, blake2Rounds, isBlake2Input } from './blake2.ts'

const BLOCK_BYTES = 128
const INITIAL = [
  0x6a09e667f3bcc908n,
  0xbb67ae8584caa73bn,
  0x3c6ef372fe94f82bn,
  0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n,
  0x9b05688c2b3e6c1fn,
  0x1f83d9abfb41bd6bn,
  0x5be0cd19137e2179n,
]
const littleEndian = (value: bigint, length: number) => bigintToBytes(value, length).reverse()
const callInput = (rounds: number, state: Uint8Array, message: Uint8Array, offset: bigint, final: boolean) =>
  concatBytes(bigintToBytes(BigInt(rounds), 4), state, message, littleEndian(offset, 16), Uint8Array.of(final ? 1 : 0))

/** RFC 7693, section 3.3. */
function hash(data: Uint8Array): Uint8Array {
  let state = concatBytes(...INITIAL.map((word, i) => littleEndian(i === 0 ? word ^ 0x01010040n : word, 8)))
  const blocks = Math.max(1, Math.ceil(data.length / BLOCK_BYTES))
  for (let i = 0; i < blocks; i++) {
    const message = new Uint8Array(BLOCK_BYTES)
    message.set(data.subarray(i * BLOCK_BYTES, (i + 1) * BLOCK_BYTES))
    const final = i === blocks - 1
    state = blake2Compress(callInput(12, state, message, BigInt(final ? data.length : (i + 1) * BLOCK_BYTES), final))
  }
  return state
}

describe('BLAKE2b compression', () => {
  it('computes the same hash as Node, for data of any length', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1000 }), (data) => {
        assert.equal(bytesToHex(hash(data)), `0x${createHash('blake2b512').update(data).digest('hex')}`)
      }),
    )
  })

  it('returns the state alone without rounds: h ^ v ^ v', () => {
    const state = new Uint8Array(64).fill(7)
    const got = blake2Compress(callInput(0, state, new Uint8Array(BLOCK_BYTES), 0n, false))
    assert.equal(bytesToHex(got), bytesToHex(concatBytes(...INITIAL.map((word) => littleEndian(word, 8)))))
  })

  it('runs any number of rounds, also across the splits of long calls', () => {
    const message = new Uint8Array(BLOCK_BYTES).fill(0x5a)
    const mask = (1n << 64n) - 1n
    const rotate = (word: bigint, by: bigint) => ((word >> by) | (word << (64n - by))) & mask
    const word = BigInt(`0x${'5a'.repeat(8)}`)
    const v = [...new Array<bigint>(8).fill(0n), ...INITIAL]
    const mixed = [0, 1, 2, 3].map((i) => [i, 4 + i, 8 + i, 12 + i])
    const diagonals = [0, 1, 2, 3].map((i) => [i, 4 + ((i + 1) % 4), 8 + ((i + 2) % 4), 12 + ((i + 3) % 4)])
    const at = (i: number) => v[i] as bigint
    const rounds = 10_003
    for (let r = 0; r < rounds; r++) {
      for (const [a, b, c, d] of [...mixed, ...diagonals] as [number, number, number, number][]) {
        for (const [first, second] of [
          [32n, 24n],
          [16n, 63n],
        ] as const) {
          v[a] = (at(a) + at(b) + word) & mask
          v[d] = rotate(at(d) ^ at(a), first)
          v[c] = (at(c) + at(d)) & mask
          v[b] = rotate(at(b) ^ at(c), second)
        }
      }
    }
    const expected = concatBytes(...[0, 1, 2, 3, 4, 5, 6, 7].map((i) => littleEndian(at(i) ^ at(i + 8), 8)))
    const got = blake2Compress(callInput(rounds, new Uint8Array(64), message, 0n, false))
    assert.equal(bytesToHex(got), bytesToHex(expected))
  })

  it('accepts 213 bytes with a last byte of 0 or 1, and returns their rounds', () => {
    const input = callInput(0xffffffff, new Uint8Array(64), new Uint8Array(BLOCK_BYTES), 0n, true)
    assert.equal(blake2Rounds(input), 0xffffffff)
    assert.equal(blake2Rounds(input.subarray(1)), null)
    assert.equal(blake2Rounds(padLeft(input, 214)), null)
    assert.equal(isBlake2Input(input), true)
    assert.equal(isBlake2Input(input.subarray(1)), false)
    assert.equal(isBlake2Input(Uint8Array.from(input, (byte, i) => (i === 212 ? 2 : byte))), false)
  })
})
