import assert from 'node:assert/strict'
import { hexToBytes } from '@keelson/primitives'
import { decodeFeeScalars, encodeFeeScalars, isAcceptableFeeScalar } from './fee-scalars.ts'

const scalar = (version: string, middle: string, blob: string, base: string) =>
  hexToBytes(`0x${version}${middle.padEnd(46, '0')}${blob}${base}`)

describe('fee scalars', () => {
  it('survive an encoding in version 1', () => {
    const scalars = { baseFeeScalar: 0xfffffffe, blobBaseFeeScalar: 7 }
    assert.deepEqual(decodeFeeScalars(encodeFeeScalars(scalars)), scalars)
    assert.deepEqual(encodeFeeScalars(scalars), scalar('01', '', '00000007', 'fffffffe'))
  })

  it('have no blob scalar in version 0, and the maximum when the value does not fit', () => {
    assert.deepEqual(decodeFeeScalars(scalar('00', '', '00000000', '0000000a')), { baseFeeScalar: 10, blobBaseFeeScalar: 0 })
    assert.deepEqual(decodeFeeScalars(scalar('00', '', '00000001', '00000000')), { baseFeeScalar: 0xffffffff, blobBaseFeeScalar: 0 })
  })

  it('are rejected with another version or nonzero padding', () => {
    assert.equal(decodeFeeScalars(scalar('02', '', '00000000', '00000001')), null)
    assert.equal(isAcceptableFeeScalar(scalar('02', '', '00000000', '00000001')), false)
    assert.equal(isAcceptableFeeScalar(scalar('01', 'ff', '00000000', '00000001')), false)
    assert.equal(isAcceptableFeeScalar(scalar('00', '', '00000001', '00000001')), false)
    assert.equal(isAcceptableFeeScalar(scalar('00', '', '00000000', '00000001')), true)
    assert.equal(isAcceptableFeeScalar(scalar('01', '', '00000002', '00000001')), true)
  })
})
