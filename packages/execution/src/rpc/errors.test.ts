import assert from 'node:assert/strict'
import { decodeRevertReason } from '@keelson/evm'
import { hexToBytes, utf8ToBytes } from '@keelson/primitives'
import { rejectionError, revertError } from './errors.ts'

const word = (value: number) => value.toString(16).padStart(64, '0')
const errorString = (text: string) =>
  `0x08c379a0${word(32)}${word(utf8ToBytes(text).length)}${Buffer.from(text).toString('hex').padEnd(128, '0')}`

describe('RPC errors', () => {
  it('always carries code 3 and hex data for a revert', () => {
    const empty = revertError(new Uint8Array(0))
    assert.deepEqual([empty.number, empty.message, empty.data], [3, 'execution reverted', '0x'])
    const reason = revertError(hexToBytes(errorString('not today')))
    assert.deepEqual([reason.number, reason.message, reason.data], [3, 'execution reverted: not today', errorString('not today')])
    assert.equal(revertError(hexToBytes(`0x4e487b71${word(0x12)}`)).message, 'execution reverted: division or modulo by zero')
    assert.equal(revertError(hexToBytes(`0x4e487b71${word(0x99)}`)).message, 'execution reverted: unknown panic code: 0x99')
  })

  it('does not read a reason out of malformed data', () => {
    for (const bad of [
      '0x08c379a0',
      `0x08c379a0${word(64)}${word(4)}`,
      `0x08c379a0${word(32)}${word(1_000)}${word(0)}`,
      `0xdeadbeef${word(1)}`,
    ]) {
      assert.equal(decodeRevertReason(hexToBytes(bad)), null, bad)
    }
  })

  it('appends details after a colon, if there are any', () => {
    assert.equal(
      rejectionError({ reason: 'nonce-too-low', detail: 'next nonce 5, tx nonce 3' }).message,
      'nonce too low: next nonce 5, tx nonce 3',
    )
    assert.deepEqual(
      [rejectionError({ reason: 'already-known', detail: '' }).message, rejectionError({ reason: 'already-known', detail: '' }).number],
      ['already known', -32000],
    )
  })
})
