import assert from 'node:assert/strict'
import { snappyUncompress } from './snappy.ts'

describe("Snappy's block format", () => {
  const LITERAL = [...new TextEncoder().encode('abcd')]
  const text = (...bytes: readonly number[]) => new TextDecoder().decode(snappyUncompress(Uint8Array.from(bytes), 100) ?? undefined)

  it('repeats what a copy element names, also what it has just produced', () => {
    assert.equal(text(12, 3 << 2, ...LITERAL, (4 << 2) | 1, 4), 'abcdabcdabcd')
    assert.equal(text(9, 3 << 2, ...LITERAL, (4 << 2) | 2, 1, 0), 'abcdddddd')
  })

  it('is refused with a copy before the first byte, a length that is none, and more bytes than allowed', () => {
    assert.equal(snappyUncompress(Uint8Array.of(9, (4 << 2) | 2, 1, 0), 100), null)
    assert.equal(snappyUncompress(Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x7f), 2 ** 32), null)
    assert.equal(snappyUncompress(Uint8Array.of(12, 3 << 2, ...LITERAL, (4 << 2) | 1, 4), 11), null)
  })
})
