/** A slot's value has 32 bytes in the EVM and no leading zeros on disk; the trie holds the RLP of the latter. */
import { type Bytes32, EMPTY_BYTES, padLeft, rlpBytes, rlpDecode, rlpEncode } from '@keelson/primitives'

export const ZERO_SLOT: Bytes32 = new Uint8Array(32)

export function trimSlotValue(value: Uint8Array): Uint8Array {
  let from = 0
  while (from < value.length && value[from] === 0) from++
  return from === value.length ? EMPTY_BYTES : value.subarray(from)
}

export function padSlotValue(trimmed: Uint8Array): Bytes32 {
  return padLeft(trimmed, 32)
}

export function encodeTrieSlot(value: Uint8Array): Uint8Array | null {
  const trimmed = trimSlotValue(value)
  return trimmed.length === 0 ? null : rlpEncode(trimmed)
}

/** Throws CodecError `codec/rlp`. */
export function decodeTrieSlot(bytes: Uint8Array): Bytes32 {
  return padSlotValue(rlpBytes(rlpDecode(bytes), 'storage value'))
}
