import { brotliCompressSync, brotliDecompressSync, constants, deflateSync, inflateSync } from 'node:zlib'
import { type DecompressedPrefix, decodeBrotliPrefix, decodeZlibPrefix, type Scan } from '@keelson/derivation'
import { brotliDictionary } from './brotli-dictionary.ts'

export type ChannelCompression = 'zlib' | 'brotli'
const WITH_INFO = { info: true }
function readingInfo(answer: unknown): { readonly buffer: Uint8Array; readonly engine: { readonly bytesWritten: number } } {
  return answer as ReturnType<typeof readingInfo>
}

/** Output limit in bytes of native decoders, about 10 ms of work. Channels of six full blobs stay below it. */
const NATIVE_BYTES = 8 * 1024 * 1024

function attempt(
  algorithm: ChannelCompression,
  data: Uint8Array,
  maxOutputLength: number,
): { readonly output: Uint8Array; readonly readBytes: number } | null {
  try {
    const options = { ...WITH_INFO, maxOutputLength }
    const { buffer, engine } = readingInfo(algorithm === 'zlib' ? inflateSync(data, options) : brotliDecompressSync(data, options))
    return { output: buffer, readBytes: engine.bytesWritten }
  } catch {
    return null
  }
}

/**
 * Native decoders read intact streams. The TypeScript decoders read streams above `NATIVE_BYTES`, because 100 MB from 170 bytes
 * would block the thread; damaged streams, whose decoded prefix counts by consensus; and brotli streams with trailing bytes,
 * which op-node rejects.
 */
export function* decompress(algorithm: ChannelCompression, data: Uint8Array, maxBytes: number): Scan<DecompressedPrefix> {
  const whole = attempt(algorithm, data, Math.min(maxBytes, NATIVE_BYTES))
  if (whole !== null) {
    const unreadBytes = data.length - whole.readBytes
    if (algorithm === 'zlib' || unreadBytes === 0) return { output: whole.output, end: 'complete', unreadBytes }
  }
  return yield* algorithm === 'zlib' ? decodeZlibPrefix(data, maxBytes) : decodeBrotliPrefix(data, brotliDictionary(), maxBytes)
}

/** Quality 11 would take twice the time to save about one percent. */
const BROTLI_QUALITY = 10

export function compress(algorithm: ChannelCompression, data: Uint8Array): Uint8Array {
  if (algorithm === 'zlib') return deflateSync(data, { level: constants.Z_BEST_COMPRESSION })
  return brotliCompressSync(data, {
    params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: data.length },
  })
}
