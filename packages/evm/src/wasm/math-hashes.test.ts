import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { bytesToHex } from '@keelson/primitives'
import { keccak_256 } from '@noble/hashes/sha3.js'
import fc from 'fast-check'
import { math, mathInputAt, mathMemory } from './math-instance.ts'

const mathBytes = mathMemory(mathInputAt)
const MESSAGE_AT = mathInputAt + 64

/** Bytes that follow a message must not matter. */
function place(message: Uint8Array, offset: number): number {
  mathBytes.fill(0xa5, MESSAGE_AT, MESSAGE_AT + offset + message.length + 64)
  mathBytes.set(message, MESSAGE_AT + offset)
  return MESSAGE_AT + offset
}

const output = (length: number) => mathBytes.slice(mathInputAt, mathInputAt + length)

function keccakAgrees(message: Uint8Array, offset = 0): void {
  const wanted = keccak_256(message)
  const from = place(message, offset)
  math.keccak256(from, message.length, mathInputAt)
  assert.equal(bytesToHex(output(32)), bytesToHex(wanted), `${message.length} bytes`)
  math.keccak256Word(from, message.length, mathInputAt)
  assert.equal(bytesToHex(output(32).reverse()), bytesToHex(wanted), `${message.length} bytes as a word`)
}

function sha256Agrees(message: Uint8Array, offset = 0): void {
  math.sha256(place(message, offset), message.length, mathInputAt)
  assert.equal(bytesToHex(output(32)), `0x${createHash('sha256').update(message).digest('hex')}`, `${message.length} bytes`)
}

const counting = (length: number) => Uint8Array.from({ length }, (_, i) => (i * 197 + length) & 0xff)

describe('hashes in WASM', () => {
  it('Keccak-256 agrees with noble at every length up to three blocks', () => {
    for (let length = 0; length <= 3 * 136 + 1; length++) keccakAgrees(counting(length))
  })

  it('Keccak-256 agrees with noble on any bytes at any alignment', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 2000 }), fc.nat(15), keccakAgrees))
  })

  it('SHA-256 agrees with OpenSSL at every length up to four blocks, and on any bytes at any alignment', () => {
    for (let length = 0; length <= 4 * 64 + 1; length++) sha256Agrees(counting(length))
    fc.assert(fc.property(fc.uint8Array({ maxLength: 2000 }), fc.nat(15), sha256Agrees))
  })

  it('Keccak-256 reads nothing beyond the end of the memory', () => {
    const end = mathBytes.length
    for (let length = 0; length < 300; length++) {
      const message = counting(length)
      mathBytes.set(message, end - length)
      math.keccak256(end - length, length, mathInputAt)
      assert.equal(bytesToHex(output(32)), bytesToHex(keccak_256(message)), `${length} bytes`)
    }
  })
})
