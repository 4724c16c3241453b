/** Runs off the main thread: brotli takes hundreds of milliseconds for a full channel. */
import { promisify } from 'node:util'
import { type BrotliOptions, brotliCompress, constants, deflate, type ZlibOptions } from 'node:zlib'
import type { ChannelCompression } from './compression.ts'

const deflateBeside = promisify<Uint8Array, ZlibOptions, Buffer>(deflate)
const brotliBeside = promisify<Uint8Array, BrotliOptions, Buffer>(brotliCompress)

/** `level` is brotli's quality; zlib always uses its maximum level. */
export function compressBeside(algorithm: ChannelCompression, data: Uint8Array, level = 10): Promise<Uint8Array> {
  if (algorithm === 'zlib') return deflateBeside(data, { level: constants.Z_BEST_COMPRESSION })
  return brotliBeside(data, { params: { [constants.BROTLI_PARAM_QUALITY]: level, [constants.BROTLI_PARAM_SIZE_HINT]: data.length } })
}
