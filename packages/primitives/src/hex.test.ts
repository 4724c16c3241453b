import assert from 'node:assert/strict'
import fc from 'fast-check'
import { CodecError } from './errors.ts'
import { bytesToHex, hexToBytes, isHex, toAddress, toHash } from './hex.ts'

const codecError = (code: string) => (error: unknown) => error instanceof CodecError && error.code === code

describe('hex', () => {
  it('writes what Node writes and reads it back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const hex = bytesToHex(bytes)
        assert.equal(hex, `0x${Buffer.from(bytes).toString('hex')}`)
        assert.deepEqual(hexToBytes(hex), bytes)
        assert.deepEqual(hexToBytes(hex.toUpperCase()), bytes)
      }),
    )
  })

  it('rejects text that is not whole bytes of hex', () => {
    for (const text of ['', '00', '0x0', '0xg0', '0x0g', '0x 1', 'x00', '0x00 ', '0x\u0661\u0661']) {
      assert.throws(() => hexToBytes(text), codecError('codec/hex'), text)
    }
  })

  it('shortens long input in messages', () => {
    assert.throws(
      () => hexToBytes(`0x${'a'.repeat(5001)}`),
      (error: Error) => error.message.length < 200 && error.message.includes('5003 characters'),
    )
  })

  it('brands hashes and addresses of the right length, in lower case', () => {
    assert.equal(toHash(`0x${'AB'.repeat(32)}`), `0x${'ab'.repeat(32)}`)
    assert.equal(toAddress('0xDeaDDEaDDeAdDeAdDEAdDEaddeAddEAdDEAd0001'), '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001')
    assert.equal(toAddress(new Uint8Array(20)), `0x${'00'.repeat(20)}`)
    assert.throws(() => toHash(`0x${'ab'.repeat(31)}`), codecError('codec/hash'))
    assert.throws(() => toHash(`0x${'zz'.repeat(32)}`), codecError('codec/hash'))
    assert.throws(() => toAddress(`0x${'ab'.repeat(21)}`), codecError('codec/address'))
  })

  it('checks the length of hex', () => {
    assert.ok(isHex('0x') && isHex('0xABcd', 2))
    for (const [value, length] of [
      ['0xabc', undefined],
      ['0xabcd', 3],
      [12, undefined],
      [null, undefined],
      ['0xabcd\n', 2],
    ] as const) {
      assert.ok(!isHex(value, length), String(value))
    }
  })
})
