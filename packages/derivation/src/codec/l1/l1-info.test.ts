import assert from 'node:assert/strict'
import { bytesToHex, hexToBytes, toAddress, toHash } from '@keelson/primitives'
import { decodeL1Info, encodeL1Info, type L1Info, l1InfoDeposit, l1InfoOf } from './l1-info.ts'

const word = (value: number) => new Uint8Array(32).fill(0).map((_, i) => (i === 31 ? value : 0))
const BASE: L1Info = {
  format: 'bedrock',
  number: 1,
  timestampSec: 2,
  baseFeeWei: 3n,
  hash: toHash(`0x${'44'.repeat(32)}`),
  sequenceNumber: 5,
  batcherAddress: toAddress(`0x${'66'.repeat(20)}`),
  overhead: word(7),
  scalar: word(8),
  baseFeeScalar: 0,
  blobBaseFeeScalar: 0,
  blobBaseFeeWei: 1n,
  operatorFeeScalar: 0,
  operatorFeeConstant: 0n,
  daFootprintGasScalar: 0,
}
const PACKED: L1Info = {
  ...BASE,
  format: 'jovian',
  overhead: word(0),
  scalar: word(0),
  baseFeeScalar: 0xa1,
  blobBaseFeeScalar: 0xa2,
  blobBaseFeeWei: 0xa3n,
  operatorFeeScalar: 0xa4,
  operatorFeeConstant: 0xa5n,
  daFootprintGasScalar: 400,
}
const padded = (hex: string) => hex.padStart(64, '0')

describe('L1 info', () => {
  it('writes ABI words before Ecotone', () => {
    const expected = ['1', '2', '3', '44'.repeat(32), '5', '66'.repeat(20), '7', '8'].map(padded).join('')
    assert.equal(bytesToHex(encodeL1Info(BASE)), `0x015d8eb9${expected}`)
    assert.deepEqual(decodeL1Info(encodeL1Info(BASE)), BASE)
  })

  it('writes packed fields from Ecotone on, and more with each later format', () => {
    const body = `000000a1000000a2000000000000000500000000000000020000000000000001${padded('3')}${padded('a3')}${'44'.repeat(32)}${padded('66'.repeat(20))}`
    const hex = (format: L1Info['format']) => bytesToHex(encodeL1Info({ ...PACKED, format }))
    assert.equal(hex('ecotone'), `0x440a5e20${body}`)
    assert.equal(hex('isthmus'), `0x098999be${body}000000a400000000000000a5`)
    assert.equal(hex('jovian'), `0x3db6be2b${body}000000a400000000000000a50190`)
    assert.deepEqual(decodeL1Info(encodeL1Info(PACKED)), PACKED)
  })

  it('rejects unknown calls, wrong lengths, and a batcher hash that is no address', () => {
    const raw = encodeL1Info(PACKED)
    assert.throws(() => decodeL1Info(raw.subarray(0, 3)), { code: 'codec/l1-info' })
    assert.throws(() => decodeL1Info(hexToBytes('0xdeadbeef')), { code: 'codec/l1-info' })
    assert.throws(() => decodeL1Info(raw.subarray(0, raw.length - 1)), /expected 178 bytes, got 177/)
    const hash = raw.slice()
    hash[132] = 1
    assert.throws(() => decodeL1Info(hash), /batcherHash/)
  })

  it('becomes a system transaction before Regolith and a metered one after', () => {
    const before = l1InfoDeposit(BASE, false)
    assert.equal(before.isSystemTx, true)
    assert.equal(before.gasLimit, 150_000_000n)
    const after = l1InfoDeposit(BASE, true)
    assert.equal(after.isSystemTx, false)
    assert.equal(after.gasLimit, 1_000_000n)
    assert.equal(bytesToHex(after.from), '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001')
    assert.deepEqual(l1InfoOf(after), BASE)
  })

  it('is read from the first transaction, which must be a deposit', () => {
    assert.throws(() => l1InfoOf(undefined), { code: 'codec/l1-info' })
    assert.throws(() => l1InfoOf({ type: 2, data: encodeL1Info(BASE) }), { code: 'codec/l1-info' })
  })
})
