import assert from 'node:assert/strict'
import { bytesToHex, hexToBytes } from '@keelson/primitives'
import fc from 'fast-check'
import { decodeBatcherTransaction, encodeBatcherTransaction, encodeFrame, type Frame, MAX_FRAME_DATA_BYTES } from './frame.ts'

const ID = '0x000102030405060708090a0b0c0d0e0f'
const frame = (data: string, number = 0, isLast = false): Frame => ({ channelId: ID, number, data: hexToBytes(data), isLast })
const CODE = { code: 'codec/frame' }

describe('frame', () => {
  it('encodes id, number, length, data and is_last, big-endian', () => {
    assert.equal(bytesToHex(encodeFrame(frame('0xaabbcc', 0x0102, true))), `${ID}0102${'00000003'}aabbcc01`)
  })

  it('decodes several frames after the version byte', () => {
    const frames = [frame('0xaa'), frame('0x', 1), frame('0xbbbb', 2, true)]
    assert.deepEqual(decodeBatcherTransaction(encodeBatcherTransaction(frames)), frames)
  })

  it('rejects an empty transaction, another version, and a version without frames', () => {
    assert.throws(() => decodeBatcherTransaction(new Uint8Array(0)), CODE)
    assert.throws(() => decodeBatcherTransaction(hexToBytes('0x01')), CODE)
    assert.throws(() => decodeBatcherTransaction(hexToBytes('0x00')), CODE)
  })

  it('rejects a frame truncated at any byte', () => {
    const whole = encodeBatcherTransaction([frame('0xaabb', 0, true)])
    for (let length = 1; length < whole.length; length++) {
      assert.throws(() => decodeBatcherTransaction(whole.subarray(0, length)), CODE, `cut to ${length}`)
    }
  })

  it('rejects is_last other than 0 and 1', () => {
    const raw = encodeBatcherTransaction([frame('0xaa')])
    raw[raw.length - 1] = 2
    assert.throws(() => decodeBatcherTransaction(raw), CODE)
  })

  it('accepts 1,000,000 bytes of data and not one more', () => {
    const limit = { ...frame('0x'), data: new Uint8Array(MAX_FRAME_DATA_BYTES) }
    assert.equal(decodeBatcherTransaction(encodeBatcherTransaction([limit]))[0]?.data.length, MAX_FRAME_DATA_BYTES)
    const stated = hexToBytes(`0x00${ID.slice(2)}0000000f4241`)
    assert.throws(() => decodeBatcherTransaction(stated), /at most 1000000/)
    assert.throws(() => encodeFrame({ ...limit, data: new Uint8Array(MAX_FRAME_DATA_BYTES + 1) }), CODE)
  })

  it('throws only CodecError, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          assert.deepEqual(encodeBatcherTransaction(decodeBatcherTransaction(bytes)), bytes)
        } catch (error) {
          assert.equal((error as { code?: string }).code, 'codec/frame')
        }
      }),
    )
  })
})
