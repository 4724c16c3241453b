/** For a damaged stream, returns the same prefix as Go's compress/zlib. */
import type { DecompressedPrefix, StreamReads } from '../../ports.ts'
import type { Scan } from '../bytes/scan.ts'
import { Inflater, WINDOW_BYTES } from './inflate.ts'

const METHOD_DEFLATE = 8
const MAX_WINDOW_INFO = 7
const NEEDS_DICTIONARY = 0x20
const ADLER_MODULUS = 65_521
/** The sums over this many bytes stay below 2^31. */
const ADLER_RUN = 3_800
const ADLER_STEP_BYTES = 1_000 * ADLER_RUN
const ADLER_OF_NOTHING = 1
const TRAILER_BYTES = 4
const NOTHING: DecompressedPrefix = { output: new Uint8Array(0), end: 'corrupt' }

export function* decodeZlibPrefix(data: Uint8Array, maxBytes: number): Scan<DecompressedPrefix> {
  const start = bodyOffset(data)
  if (start === null) return NOTHING
  const inflater = new Inflater(data, start, maxBytes)
  const end = yield* inflater.run()
  const output = inflater.output.bytes.subarray(0, Math.min(inflater.output.length, maxBytes))
  if (end === 'limit' || inflater.output.length > maxBytes) return { output, end: 'limit' }
  const { offset } = inflater
  const isSound = end === 'complete' && offset + TRAILER_BYTES <= data.length && (yield* adler32(output)) === uint32(data, offset)
  if (isSound) return { output, end: 'complete', unreadBytes: data.length - offset - TRAILER_BYTES }
  return { output, end: 'corrupt', reads: inflateReads(inflater) }
}

/** Null for an invalid header. Go accepts an empty preset dictionary. */
function bodyOffset(data: Uint8Array): number | null {
  if (data.length < 2) return null
  const [method, flags] = data as unknown as [number, number]
  if ((method & 0x0f) !== METHOD_DEFLATE || method >> 4 > MAX_WINDOW_INFO || (method * 256 + flags) % 31 !== 0) return null
  if ((flags & NEEDS_DICTIONARY) === 0) return 2
  return data.length >= 6 && uint32(data, 2) === ADLER_OF_NOTHING ? 6 : null
}

function uint32(data: Uint8Array, at: number): number {
  return new DataView(data.buffer, data.byteOffset + at, 4).getUint32(0)
}

function* adler32(data: Uint8Array): Scan<number> {
  let a = 1
  let b = 0
  for (let at = 0; at < data.length; ) {
    for (const end = Math.min(at + ADLER_RUN, data.length); at < end; at++) {
      a += data[at] as number
      b += a
    }
    a %= ADLER_MODULUS
    b %= ADLER_MODULUS
    if (at % ADLER_STEP_BYTES === 0) yield
  }
  return b * 65_536 + a
}

/** The last read returns the rest with the error, unless that output was flushed before. */
function inflateReads({ output, flushes }: Inflater): StreamReads {
  const total = output.length
  let at = 0
  let nextFlush = 0
  return {
    read(maxBytes) {
      while ((flushes[nextFlush] ?? total) <= at && nextFlush < flushes.length) nextFlush++
      const handedOver = Math.min(flushes[nextFlush] ?? total, (Math.floor(at / WINDOW_BYTES) + 1) * WINDOW_BYTES, total)
      const bytes = Math.min(maxBytes, handedOver - at)
      at += bytes
      const cameBefore = total % WINDOW_BYTES === 0 || flushes.at(-1) === total
      return { bytes, failed: bytes === 0 || (at === total && !cameBefore) }
    },
  }
}
