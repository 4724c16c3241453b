import assert from 'node:assert/strict'
import fc from 'fast-check'
import { BLOB_BYTES, decodeBlob, encodeBlob, MAX_BLOB_DATA_BYTES } from './blob.ts'

const CODE = { code: 'codec/blob' }

describe('blob', () => {
  it('decodes what it encodes, from empty to full', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 600 }), fc.integer({ min: 0, max: 255 }), (length, seed) => {
        const data = Uint8Array.from({ length }, (_, i) => (i * 31 + seed) & 0xff)
        assert.deepEqual(decodeBlob(encodeBlob(data)), data)
      }),
      { numRuns: 30 },
    )
    const full = Uint8Array.from({ length: MAX_BLOB_DATA_BYTES }, (_, i) => (i * 7) & 0xff)
    const blob = encodeBlob(full)
    assert.equal(blob.length, BLOB_BYTES)
    assert.deepEqual(decodeBlob(blob), full)
  })

  it('keeps every field element below 2^254', () => {
    const blob = encodeBlob(new Uint8Array(MAX_BLOB_DATA_BYTES).fill(0xff))
    for (let at = 0; at < blob.length; at += 32) assert.equal((blob[at] as number) & 0xc0, 0)
  })

  it('rejects data that does not fit', () => {
    assert.throws(() => encodeBlob(new Uint8Array(MAX_BLOB_DATA_BYTES + 1)), CODE)
  })

  it('rejects a wrong blob size, an unknown version and a data length that does not fit', () => {
    assert.throws(() => decodeBlob(new Uint8Array(BLOB_BYTES - 1)), CODE)
    const version = encodeBlob(Uint8Array.of(1))
    version[1] = 1
    assert.throws(() => decodeBlob(version), CODE)
    const length = new Uint8Array(BLOB_BYTES)
    length.set([0x01, 0xfb, 0xfd], 2)
    assert.throws(() => decodeBlob(length), /at most 130044/)
  })

  it('ignores the top bits of the first field element, as op-node and kona do', () => {
    for (const top of [0x40, 0x80, 0xc0]) {
      const blob = encodeBlob(Uint8Array.of(1, 2, 3))
      blob[0] = top
      assert.deepEqual(decodeBlob(blob), Uint8Array.of(1, 2, 3))
    }
  })

  it('rejects set top bits and data after the end', () => {
    for (const at of [32, 64, 96, 128, BLOB_BYTES - 32]) {
      const blob = encodeBlob(Uint8Array.of(1, 2, 3))
      blob[at] = 0x80
      assert.throws(() => decodeBlob(blob), CODE)
    }
    for (const at of [BLOB_BYTES - 1, BLOB_BYTES - 32, 8]) {
      const blob = encodeBlob(Uint8Array.of(1, 2, 3))
      blob[at] = 1
      assert.throws(() => decodeBlob(blob), /data after its stated/)
    }
  })
})
