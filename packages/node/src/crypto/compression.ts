/** Channel compression with Node's zlib. The decoders of derivation handle damaged streams. */
import { brotliCompressSync, brotliDecompressSync, constants, deflateSync, inflateSync } from 'node:zlib'
import { type DecompressedPrefix, decodeBrotliPrefix, decodeZlibPrefix, type Scan } from '@keelson/derivation'
import { brotliDictionary } from './brotli-dictionary.ts'

export type ChannelCompression = 'zlib' | 'brotli'
/** With this option an answer also says how much of the input was read, which the types of Node do not know. */
const WITH_INFO = { info: true }
function readingInfo(answer: unknown): { readonly buffer: Uint8Array; readonly engine: { readonly bytesWritten: number } } {
  return answer as ReturnType<typeof readingInfo>
}

/** Output limit of the native decoders in bytes; about 10 ms of work. Channels of six full blobs stay below it. */
const NATIVE_BYTES = 8 * 1024 * 1024

/** Returns null when the stream is damaged or exceeds the limit. */
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
 * Decodes intact streams at native speed. The native decoders lose the tail of a stream that is damaged or exceeds the
 * limit, but which bytes of that tail count is a consensus rule, so the TypeScript decoders of derivation decode it again.
 * They also decode brotli streams with bytes after the end, which op-node's decoder reports as an error, and streams with
 * more output than `NATIVE_BYTES`, because a native call cannot pause: 100 MB from 170 bytes would hold the thread.
 */
export function* decompress(algorithm: ChannelCompression, data: Uint8Array, maxBytes: number): Scan<DecompressedPrefix> {
  const whole = attempt(algorithm, data, Math.min(maxBytes, NATIVE_BYTES))
  if (whole !== null) {
    const unreadBytes = data.length - whole.readBytes
    if (algorithm === 'zlib' || unreadBytes === 0) return { output: whole.output, end: 'complete', unreadBytes }
  }
  return yield* algorithm === 'zlib' ? decodeZlibPrefix(data, maxBytes) : decodeBrotliPrefix(data, brotliDictionary(), maxBytes)
}

/** Brotli at quality 10: quality 11 takes twice the time for about a percent. */
const BROTLI_QUALITY = 10

export function compress(algorithm: ChannelCompression, data: Uint8Array): Uint8Array {
  if (algorithm === 'zlib') return deflateSync(data, { level: constants.Z_BEST_COMPRESSION })
  return brotliCompressSync(data, {
    params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: data.length },
  })
}
