/**
 * Channel compression on Node's zlib. Decompression is a prefix rule: what decodes before the end, the
 * limit or the first corrupt byte counts, so a failed whole-input attempt is repeated on the longest
 * prefix that still decodes. specs: protocol/derivation.md#channel-format
 */
import { brotliCompressSync, brotliDecompressSync, constants, deflateSync, inflateSync } from 'node:zlib'

export type ChannelCompression = 'zlib' | 'brotli'
export interface DecompressedPrefix {
  readonly output: Uint8Array
  readonly end: 'complete' | 'limit' | 'corrupt'
  /** Input after the end of a complete stream. */
  readonly unreadBytes?: number
}

/** One compressed byte may stand for this many: the most a single copy can emit past the limit. */
const SLACK_BYTES = 32 * 1024 * 1024

type Attempt = { readonly output: Uint8Array; readonly readBytes: number } | { readonly failed: 'too-large' | 'corrupt' }

/** With this option an answer also says how much of the input was read, which the types of Node do not know. */
const WITH_INFO = { info: true }
function readingInfo(answer: unknown): { readonly buffer: Uint8Array; readonly engine: { readonly bytesWritten: number } } {
  return answer as ReturnType<typeof readingInfo>
}

function attempt(algorithm: ChannelCompression, data: Uint8Array, maxOutputLength: number, partial: boolean): Attempt {
  try {
    const { buffer, engine } = readingInfo(
      algorithm === 'zlib'
        ? inflateSync(data, { ...WITH_INFO, maxOutputLength, finishFlush: partial ? constants.Z_SYNC_FLUSH : constants.Z_FINISH })
        : brotliDecompressSync(data, {
            ...WITH_INFO,
            maxOutputLength,
            finishFlush: partial ? constants.BROTLI_OPERATION_FLUSH : constants.BROTLI_OPERATION_FINISH,
          }),
    )
    return { output: buffer, readBytes: engine.bytesWritten }
  } catch (error) {
    return { failed: (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'too-large' : 'corrupt' }
  }
}

/** Longest prefix of the input that decodes without an error, found by bisection; empty when none does. */
function longestPrefix(algorithm: ChannelCompression, data: Uint8Array, maxBytes: number): Uint8Array {
  let good = 0
  let bad = data.length + 1
  let output: Uint8Array = new Uint8Array(0)
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    const tried = attempt(algorithm, data.subarray(0, middle), maxBytes + SLACK_BYTES, true)
    if ('output' in tried) {
      good = middle
      output = tried.output
    } else {
      bad = middle
    }
  }
  return output
}

export function decompressPrefix(algorithm: ChannelCompression, data: Uint8Array, maxBytes: number): DecompressedPrefix {
  const whole = attempt(algorithm, data, maxBytes, false)
  if ('output' in whole) return { output: whole.output, end: 'complete', unreadBytes: data.length - whole.readBytes }
  const output = longestPrefix(algorithm, data, maxBytes)
  if (output.length >= maxBytes) return { output: output.subarray(0, maxBytes), end: 'limit' }
  return { output, end: 'corrupt' }
}

/** Brotli at quality 10: quality 11 takes twice the time for about a percent. */
const BROTLI_QUALITY = 10

export function compress(algorithm: ChannelCompression, data: Uint8Array): Uint8Array {
  if (algorithm === 'zlib') return deflateSync(data, { level: constants.Z_BEST_COMPRESSION })
  return brotliCompressSync(data, {
    params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: data.length },
  })
}
