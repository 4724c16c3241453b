import { snappyPermittedLength, snappyStatedLength, snappyUncompress } from '@keelson/runtime/snappy'
import { P2pError } from '../p2p-error.ts'

/** Limit on a message, compressed or not. */
export const MAX_MESSAGE_BYTES = 10 * 1024 * 1024

/** The length that the data states, if the data can expand to it. Throws P2pError `p2p/message`. */
export function decompressedLength(data: Uint8Array): number {
  const length = snappyPermittedLength(data, MAX_MESSAGE_BYTES)
  if (length !== null) return length
  throw new P2pError('p2p/message', `message of ${data.length} bytes that states ${snappyStatedLength(data)} bytes uncompressed`)
}

/** Checks the stated length before it allocates. Throws P2pError `p2p/message`. */
export function decompressPayload(data: Uint8Array): Uint8Array {
  decompressedLength(data)
  const plain = snappyUncompress(data, MAX_MESSAGE_BYTES)
  if (plain === null) throw new P2pError('p2p/message', 'message is not Snappy-compressed')
  return plain
}
