import assert from 'node:assert/strict'
import { crc32 } from 'node:zlib'
import { brotliDictionary } from './brotli-dictionary.ts'

describe('brotli dictionary', () => {
  it('is that of RFC 7932 Appendix A: 122,784 bytes with the checksum stated there', () => {
    assert.equal(brotliDictionary().length, 122_784)
    assert.equal(crc32(brotliDictionary()), 0x5136cb04)
  })
})
