/** Vectors from op-node's `BatchReader` on Go's compress/zlib and andybalholm/brotli 1.1.0. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, deflateSync, constants as zlib } from 'node:zlib'
import { hexToBytes } from '@keelson/primitives'
import fc from 'fast-check'
import { brotliDictionary } from '../../../../node/src/crypto/brotli-dictionary.ts'
import { decompress } from '../../../../node/src/crypto/compression.ts'
import type { CompressionAlgorithm, DecompressedPrefix } from '../../ports.ts'
import { runScan, type Scan } from '../bytes/scan.ts'
import { openChannel } from '../channel/channel-in.ts'
import { decodeBrotliPrefix } from './brotli-stream.ts'
import { decodeZlibPrefix } from './zlib-stream.ts'

interface Vector {
  readonly algorithm: CompressionAlgorithm
  readonly damage: string
  readonly maxBytes: number
  readonly channel: `0x${string}`
  readonly batches: number
}
const VECTORS: readonly Vector[] = JSON.parse(readFileSync(join(import.meta.dirname, 'damaged-streams.json'), 'utf8'))

type Decode = (algorithm: CompressionAlgorithm, data: Uint8Array, maxBytes: number) => Scan<DecompressedPrefix>
const pureInSteps: Decode = (algorithm, data, maxBytes) =>
  algorithm === 'zlib' ? decodeZlibPrefix(data, maxBytes) : decodeBrotliPrefix(data, brotliDictionary(), maxBytes)
const pure = (...args: Parameters<Decode>) => runScan(pureInSteps(...args))

function countBatches({ channel, maxBytes }: Vector, decode: Decode): number {
  const rules = { maxRlpBytesPerChannel: maxBytes, maxSpanBatchElements: 1000, brotliChannels: true }
  const opened = openChannel(hexToBytes(channel), rules, { decompress: decode })
  if (!opened.ok) return 0
  for (let count = 0; ; ) {
    const { kind } = opened.batches.next()
    if (kind === 'batch') count++
    else if (kind !== 'again') return count
  }
}

describe('damaged channel streams', () => {
  for (const vector of VECTORS) {
    it(`${vector.algorithm}, ${vector.damage}: as many batches as op-node reads`, () => {
      assert.deepEqual([countBatches(vector, decompress), countBatches(vector, pureInSteps)], [vector.batches, vector.batches])
    })
  }

  const text = fc
    .array(fc.constantFrom('batch ', 'time', 'channel\n', 'épique ', '中文', 'The ', 'x'), { maxLength: 3000 })
    .map((words) => words.join(''))
  const content = fc.oneof(
    fc.uint8Array({ maxLength: 20_000 }),
    text.map((words) => new Uint8Array(Buffer.from(words))),
  )
  const sound = (algorithm: CompressionAlgorithm, data: Uint8Array, plain: Uint8Array) => {
    const { output, end, unreadBytes } = pure(algorithm, data, plain.length)
    assert.deepEqual([Buffer.from(output).equals(plain), end, unreadBytes], [true, 'complete', 0])
  }

  it('zlib: decodes what Node compressed', () => {
    const options = fc.record({
      level: fc.constantFrom(0, 1, 6, 9),
      memLevel: fc.constantFrom(1, 9),
      strategy: fc.constantFrom(zlib.Z_DEFAULT_STRATEGY, zlib.Z_FIXED, zlib.Z_HUFFMAN_ONLY, zlib.Z_RLE),
    })
    fc.assert(fc.property(content, options, (plain, how) => sound('zlib', deflateSync(plain, how), plain)))
  })

  it('brotli: decodes what Node compressed', () => {
    const options = fc.record({
      quality: fc.constantFrom(0, 1, 2, 5, 9, 11),
      window: fc.constantFrom(10, 16, 24),
      mode: fc.constantFrom(0, 1, 2),
    })
    fc.assert(
      fc.property(content, options, (plain, { quality, window, mode }) => {
        const params = { [zlib.BROTLI_PARAM_QUALITY]: quality, [zlib.BROTLI_PARAM_LGWIN]: window, [zlib.BROTLI_PARAM_MODE]: mode }
        sound('brotli', brotliCompressSync(plain, { params }), plain)
      }),
    )
  })

  for (const algorithm of ['zlib', 'brotli'] as const) {
    it(`${algorithm}: a decompression bomb takes no more memory than the limit and a window`, () => {
      const bomb = algorithm === 'zlib' ? deflateSync(new Uint8Array(50_000_000)) : brotliCompressSync(new Uint8Array(50_000_000))
      const { output, end } = pure(algorithm, bomb, 1_000_000)
      assert.deepEqual([output.length, end], [1_000_000, 'limit'])
      assert.ok(output.buffer.byteLength <= 2 * (1_000_000 + 2 ** 24), `${output.buffer.byteLength} bytes allocated`)
    })
  }
})
