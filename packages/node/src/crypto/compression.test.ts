import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { runScan } from '@keelson/derivation'
import { type ChannelCompression, compress, decompress } from './compression.ts'

const MAX = 10_000_000
const decompressPrefix = (algorithm: ChannelCompression, data: Uint8Array, maxBytes: number) =>
  runScan(decompress(algorithm, data, maxBytes))
const text = Buffer.concat([Buffer.from('batch '.repeat(5000)), randomBytes(20_000)])

for (const algorithm of ['zlib', 'brotli'] as const) {
  describe(`${algorithm} prefix decompression`, () => {
    const packed = compress(algorithm, text)

    it('gives back the whole input', () => {
      const { output, end } = decompressPrefix(algorithm, packed, MAX)
      assert.equal(end, 'complete')
      assert.deepEqual(Buffer.from(output), text)
    })

    it('says how many bytes follow the end of the stream', () => {
      assert.equal(decompressPrefix(algorithm, packed, MAX).unreadBytes, 0)
      const { output, end, unreadBytes } = decompressPrefix(algorithm, Buffer.concat([packed, Buffer.from('trail')]), MAX)
      assert.deepEqual([output.length, end, unreadBytes], [text.length, 'complete', 5])
    })

    it('accepts output of exactly the limit as complete', () => {
      assert.equal(decompressPrefix(algorithm, packed, text.length).end, 'complete')
    })

    it('cuts at the limit and keeps what came before', () => {
      const { output, end } = decompressPrefix(algorithm, packed, text.length - 1)
      assert.equal(end, 'limit')
      assert.deepEqual(Buffer.from(output), text.subarray(0, text.length - 1))
    })

    it('keeps what decodes before the input is cut off', () => {
      const { output, end } = decompressPrefix(algorithm, packed.subarray(0, packed.length - 200), MAX)
      assert.equal(end, 'corrupt')
      assert.ok(output.length > 20_000, `only ${output.length} bytes survived`)
      assert.deepEqual(Buffer.from(output), text.subarray(0, output.length))
    })

    it('yields nothing from input that is corrupt from the start', () => {
      const { output, end } = decompressPrefix(algorithm, Uint8Array.of(0xff, 0xff, 0xff, 0xff), MAX)
      assert.equal(end, 'corrupt')
      assert.equal(output.length, 0)
    })

    it('stops a bomb at the limit', () => {
      const bomb = compress(algorithm, new Uint8Array(50_000_000))
      const { output, end } = decompressPrefix(algorithm, bomb, 1_000_000)
      assert.equal(end, 'limit')
      assert.equal(output.length, 1_000_000)
    })

    it('a channel of 100 MB in a few bytes does not hold the thread for one long step', () => {
      const limit = 30_000_000
      const bomb = compress(algorithm, new Uint8Array(50_000_000))
      for (const data of [bomb, bomb.subarray(0, bomb.length - 1), Buffer.concat([bomb, Buffer.from('x')])]) {
        let steps = 0
        for (const scan = decompress(algorithm, data, limit); scan.next().done !== true; ) steps++
        assert.ok(steps > limit / 2 ** 19, `${steps} steps`)
      }
    })
  })
}
