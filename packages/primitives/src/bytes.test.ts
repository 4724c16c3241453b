import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  bigintToBytes,
  bigintToMinimalBytes,
  bytesToBigint,
  bytesToNumber,
  compareBytes,
  concatBytes,
  equalBytes,
  numberToMinimalBytes,
  padLeft,
  utf8ToBytes,
} from './bytes.ts'
import { CodecError } from './errors.ts'

const tooLarge = (error: unknown) => error instanceof CodecError && error.code === 'codec/number'

describe('bytes', () => {
  it('joins and compares as Buffer does', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (a, b) => {
        assert.deepEqual(concatBytes(a, b), new Uint8Array(Buffer.concat([a, b])))
        assert.equal(Math.sign(compareBytes(a, b)), Buffer.compare(a, b))
        assert.equal(equalBytes(a, b), Buffer.compare(a, b) === 0)
        assert.ok(equalBytes(a, a.slice()))
      }),
    )
  })

  it('reads big-endian numbers of any length, also inside a larger buffer', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), fc.nat(9), (bytes, offset) => {
        const expected = bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
        const inside = concatBytes(new Uint8Array(offset).fill(255), bytes, Uint8Array.of(255)).subarray(offset, offset + bytes.length)
        assert.equal(bytesToBigint(inside), expected)
      }),
    )
  })

  it('writes numbers at a fixed length and at the shortest', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }), (value) => {
        assert.equal(bytesToBigint(bigintToBytes(value, 32)), value)
        const minimal = bigintToMinimalBytes(value)
        assert.notEqual(minimal[0], 0)
        assert.equal(bytesToBigint(minimal), value)
        assert.deepEqual(padLeft(minimal, 32), bigintToBytes(value, 32))
      }),
    )
    assert.equal(bigintToMinimalBytes(0n).length, 0)
    assert.deepEqual(numberToMinimalBytes(256), Uint8Array.of(1, 0))
  })

  it('rejects values that do not fit', () => {
    assert.throws(() => bigintToBytes(256n, 1), tooLarge)
    assert.throws(() => bigintToBytes(-1n, 8), tooLarge)
    assert.throws(() => bigintToMinimalBytes(-1n), tooLarge)
    assert.throws(() => padLeft(new Uint8Array(33), 32), tooLarge)
    assert.throws(() => bytesToNumber(Uint8Array.of(0x20, 0, 0, 0, 0, 0, 0)), tooLarge)
    assert.equal(bytesToNumber(Uint8Array.of(0x1f, 255, 255, 255, 255, 255, 255)), Number.MAX_SAFE_INTEGER)
  })

  it('writes UTF-8', () => {
    assert.deepEqual(utf8ToBytes('Ü'), Uint8Array.of(0xc3, 0x9c))
  })
})
