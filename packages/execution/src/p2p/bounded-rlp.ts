/**
 * RLP from peers. Decoding a list makes an object per item, which takes a hundred times the memory of a one-byte item, so a list is
 * decoded only when its size is bounded. Both throw CodecError `codec/rlp`.
 */
import { CodecError, type RlpItem, rlpDecode } from '@keelson/primitives'

const FIRST_LIST_BYTE = 0xc0

/** Decodes a byte string of any length; a list is refused unread. */
export function rlpString(encoded: Uint8Array): RlpItem {
  if ((encoded[0] ?? 0) >= FIRST_LIST_BYTE) throw new CodecError('codec/rlp', 'expected a byte string, got a list')
  return rlpDecode(encoded)
}

/** Decodes an item of at most `maxBytes`. */
export function rlpSmall(encoded: Uint8Array, maxBytes: number, what: string): RlpItem {
  if (encoded.length > maxBytes) throw new CodecError('codec/rlp', `${what} of ${encoded.length} bytes; expected at most ${maxBytes}`)
  return rlpDecode(encoded)
}
