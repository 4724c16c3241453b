import { compressSync, uncompressSync } from 'snappy'
import { P2pError } from '../p2p-error.ts'

/** Limit on a message, compressed or not. */
export const MAX_MESSAGE_BYTES = 10 * 1024 * 1024
/** A copy element of 3 bytes yields at most 64 bytes. */
const MAX_EXPANSION = 22

export function compressPayload(payload: Uint8Array): Uint8Array {
  return compressSync(payload) as Uint8Array
}

/** The length that the data states, if the data can expand to it. Throws P2pError `p2p/message`. */
export function decompressedLength(data: Uint8Array): number {
  const length = statedLength(data)
  if (length === null || length > MAX_MESSAGE_BYTES || length > MAX_EXPANSION * data.length)
    throw new P2pError('p2p/message', `message of ${data.length} bytes that states ${length} bytes uncompressed`)
  return length
}

/** Checks the stated length before it allocates. Throws P2pError `p2p/message`. */
export function decompressPayload(data: Uint8Array): Uint8Array {
  decompressedLength(data)
  try {
    const plain = uncompressSync(data, { asBuffer: true }) as Uint8Array
    return new Uint8Array(plain.buffer, plain.byteOffset, plain.byteLength)
  } catch (cause) {
    throw new P2pError('p2p/message', 'message is not Snappy-compressed', {}, { cause })
  }
}

/** Reads the length prefix, a varint of at most 32 bits. */
function statedLength(data: Uint8Array): number | null {
  let value = 0
  for (let i = 0; i < 5; i++) {
    const byte = data[i]
    if (byte === undefined) return null
    value += (byte & 0x7f) * 2 ** (7 * i)
    if (byte < 0x80) return value <= 0xffffffff ? value : null
  }
  return null
}
