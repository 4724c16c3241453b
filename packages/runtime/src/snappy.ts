/** Snappy's block format, which gossip, RLPx and the tables of LevelDB share. google/snappy, format_description.txt */
import { compressSync, uncompressSync } from 'snappy'

/** A copy element of 3 bytes yields at most 64 bytes. */
const MAX_EXPANSION = 22
const MAX_LENGTH_BYTES = 5

export function snappyCompress(data: Uint8Array): Uint8Array {
  return toPlainBytes(compressSync(data) as Uint8Array)
}

/** Returns null for data that is no Snappy block of at most `maxBytes`. Checks the stated length before anything is allocated. */
export function snappyUncompress(data: Uint8Array, maxBytes: number): Uint8Array | null {
  if (snappyPermittedLength(data, maxBytes) === null) return null
  try {
    return toPlainBytes(uncompressSync(data, { asBuffer: true }) as Uint8Array)
  } catch {
    return null
  }
}

/** Returns the stated length, or null if it exceeds `maxBytes` or what the data can expand to. */
export function snappyPermittedLength(data: Uint8Array, maxBytes: number): number | null {
  const length = snappyStatedLength(data)
  return length === null || length > maxBytes || length > MAX_EXPANSION * data.length ? null : length
}

/** Reads the length prefix, a varint of at most 32 bits. */
export function snappyStatedLength(data: Uint8Array): number | null {
  let value = 0
  for (let i = 0; i < MAX_LENGTH_BYTES; i++) {
    const byte = data[i]
    if (byte === undefined) return null
    value += (byte & 0x7f) * 2 ** (7 * i)
    if (byte < 0x80) return value <= 0xffffffff ? value : null
  }
  return null
}

function toPlainBytes(buffer: Uint8Array): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
}
