/** For a damaged stream, returns the same prefix as op-node's decoder (github.com/andybalholm/brotli). */
import type { DecompressedPrefix, StreamReads } from '../../ports.ts'
import type { Scan } from '../bytes/scan.ts'
import { BrotliDecoder, type Offer } from './brotli/brotli-decoder.ts'

export { DICTIONARY_BYTES, MAX_WORD_BYTES, MIN_WORD_BYTES, wordNumberBits } from './brotli/brotli-tables.ts'

/** `dictionary`: RFC 7932 Appendix A. */
export function* decodeBrotliPrefix(data: Uint8Array, dictionary: Uint8Array, maxBytes: number): Scan<DecompressedPrefix> {
  const decoder = new BrotliDecoder(data, dictionary, maxBytes)
  const end = yield* decoder.run()
  const { offers } = decoder
  const offered = Math.min(offers.at(-1)?.at ?? 0, maxBytes)
  const output = decoder.output.bytes.subarray(0, offered)
  if (end === 'limit') return { output, end }
  const reads = offeredReads(offers, end === 'corrupt' || decoder.noticesExcess)
  if (end === 'corrupt') return { output, end, reads }
  return { output, end, reads, unreadBytes: data.length - decoder.consumedBytes }
}

function offeredReads(offers: readonly Offer[], failsWithLast: boolean): StreamReads {
  let taken = 0
  let next = 0
  return {
    read(maxBytes) {
      let bytes = 0
      for (; next < offers.length; next++) {
        const { kind, at } = offers[next] as Offer
        const part = Math.min(maxBytes - bytes, at - taken)
        taken += part
        bytes += part
        if (kind === 'soft') continue
        if (taken < at) return { bytes, failed: false }
        if (kind === 'hard' && bytes > 0) {
          next++
          return { bytes, failed: false }
        }
      }
      return { bytes, failed: failsWithLast || bytes === 0 }
    },
  }
}
