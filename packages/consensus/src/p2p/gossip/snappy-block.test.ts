import assert from 'node:assert/strict'
import { compressSync } from 'snappy'
import { MAX_GOSSIP_BYTES, permittedLength, snappyCompress, snappyDecompress } from './snappy-block.ts'

describe('snappy blocks of gossip', () => {
  it('that state more than their bytes can hold are refused, however little they are', () => {
    // ten megabytes stated by a message of five bytes
    assert.equal(permittedLength(Uint8Array.of(0x80, 0x80, 0x80, 0x05, 0)), null)
    assert.equal(snappyDecompress(Uint8Array.of(0x80, 0x80, 0x80, 0x05, 0)), null)
    const zeroes = new Uint8Array(MAX_GOSSIP_BYTES)
    assert.equal(snappyDecompress(snappyCompress(zeroes))?.length, MAX_GOSSIP_BYTES, 'the densest data there is')
  })

  it('that state more than gossip carries are refused', () => {
    assert.equal(snappyDecompress(compressSync(new Uint8Array(MAX_GOSSIP_BYTES + 1))), null)
  })
})
