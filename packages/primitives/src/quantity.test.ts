import assert from 'node:assert/strict'
import fc from 'fast-check'
import { CodecError } from './errors.ts'
import {
  formatQuantity,
  parseAddress,
  parseData,
  parseHash,
  parseJsonArray,
  parseJsonInteger,
  parseJsonObject,
  parseOptional,
  parseQuantity,
  parseQuantity64,
  parseQuantityNumber,
} from './quantity.ts'

const refuses = (run: () => unknown, text: RegExp) => assert.throws(run, (error) => error instanceof CodecError && text.test(error.message))

describe('quantities and data', () => {
  it('writes and reads the same number', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }), (value) => assert.equal(parseQuantity(formatQuantity(value)), value)),
    )
    assert.equal(formatQuantity(0), '0x0')
    assert.equal(formatQuantity(255n), '0xff')
    refuses(() => formatQuantity(-1), /non-negative/)
  })

  it('reject other formats of a number, naming the field', () => {
    for (const value of ['0x', '0x00', '0x01', '1', '', '0xg', '-0x1', '0X1', ' 0x1', 1, 1n, null, undefined, {}]) {
      refuses(() => parseQuantity(value, 'gas'), /^gas: expected a hex number/)
    }
    refuses(() => parseQuantity(`0x1${'0'.repeat(64)}`, 'value'), /above 2\^256-1/)
  })

  it('enforce the range of numbers', () => {
    assert.equal(parseQuantity64('0xffffffffffffffff'), (1n << 64n) - 1n)
    refuses(() => parseQuantity64('0x10000000000000000', 'nonce'), /nonce: .* above 2\^64-1/)
    assert.equal(parseQuantityNumber('0x1fffffffffffff'), Number.MAX_SAFE_INTEGER)
    refuses(() => parseQuantityNumber('0x20000000000000', 'number'), /number: .* above 2\^53-1/)
    assert.equal(parseJsonInteger(7), 7)
    for (const value of [-1, 1.5, Number.NaN, 2 ** 53, '7', null])
      refuses(() => parseJsonInteger(value, 'time'), /^time: expected a whole number/)
  })

  it('reads data, hashes and addresses with the field in the message', () => {
    assert.deepEqual(parseData('0x0102'), Uint8Array.of(1, 2))
    refuses(() => parseData('0x012', 'input'), /^input: /)
    refuses(() => parseData('0x0102', 'nonce', 8), /^nonce: expected 8 bytes, got 2/)
    refuses(() => parseData(5, 'input'), /^input: expected 0x-prefixed hex, got 5/)
    refuses(() => parseHash('0x01', 'parentHash'), /^parentHash: expected 32 bytes/)
    refuses(() => parseHash(undefined, 'parentHash'), /^parentHash: expected 32 bytes of hex, got nothing/)
    refuses(() => parseAddress('0x01', 'miner'), /^miner: expected 20 bytes/)
  })

  it('distinguish objects, lists and absent values', () => {
    assert.deepEqual(parseJsonObject({ a: 1 }, 'x'), { a: 1 })
    for (const value of [null, [], 'x', 1, undefined]) refuses(() => parseJsonObject(value, 'block'), /^block: expected an object/)
    assert.deepEqual(parseJsonArray(['0x1', '0x2'], 'list', parseQuantity), [1n, 2n])
    refuses(() => parseJsonArray(['0x1', 2], 'list', parseQuantity), /^list\[1\]: /)
    refuses(() => parseJsonArray('0x', 'list', parseQuantity), /^list: expected a list/)
    assert.equal(parseOptional(undefined, 'x', parseQuantity), null)
    assert.equal(parseOptional(null, 'x', parseQuantity), null)
    assert.equal(parseOptional('0x2', 'x', parseQuantity), 2n)
  })
})
