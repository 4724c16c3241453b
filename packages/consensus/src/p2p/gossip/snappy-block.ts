import { compressSync, uncompressSync } from 'snappy'

/** Limit on a message, compressed or not. specs: protocol/rollup-node-p2p.md#message-compression-and-limits */
export const MAX_GOSSIP_BYTES = 10 * 1024 * 1024

export function snappyCompress(data: Uint8Array): Uint8Array {
  return toPlainBytes(compressSync(data) as Uint8Array)
}

/** A copy element of 3 bytes yields at most 64. */
const MAX_EXPANSION = 22

/** Checks the stated length before anything is allocated. */
export function snappyDecompress(data: Uint8Array): Uint8Array | null {
  if (permittedLength(data) === null) return null
  try {
    return toPlainBytes(uncompressSync(data, { asBuffer: true }) as Uint8Array)
  } catch {
    return null
  }
}

/** Returns null if the stated length exceeds MAX_GOSSIP_BYTES or what the compressed data can expand to. */
export function permittedLength(data: Uint8Array): number | null {
  const length = statedLength(data)
  return length === null || length > MAX_GOSSIP_BYTES || length > MAX_EXPANSION * data.length ? null : length
}

/** Reads the length prefix, a varint of at most 32 bits. */
export function statedLength(data: Uint8Array): number | null {
  let value = 0
  for (let i = 0; i < 5; i++) {
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
