import assert from 'node:assert/strict'
import { snappyCompress } from '@keelson/runtime/snappy'
import { MAX_GOSSIP_BYTES, permittedLength, snappyDecompress } from './snappy-block.ts'

describe('snappy blocks of gossip', () => {
  it('are rejected when they state a length that their bytes cannot expand to', () => {
    assert.equal(permittedLength(Uint8Array.of(0x80, 0x80, 0x80, 0x05, 0)), null)
    assert.equal(snappyDecompress(Uint8Array.of(0x80, 0x80, 0x80, 0x05, 0)), null)
    const zeroes = new Uint8Array(MAX_GOSSIP_BYTES)
    assert.equal(snappyDecompress(snappyCompress(zeroes))?.length, MAX_GOSSIP_BYTES, 'the densest data there is')
  })

  it('are rejected when they state more than the gossip limit', () => {
    assert.equal(snappyDecompress(snappyCompress(new Uint8Array(MAX_GOSSIP_BYTES + 1))), null)
  })
})
