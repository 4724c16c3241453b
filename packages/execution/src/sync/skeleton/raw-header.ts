import { CodecError, decodeHeader, keccak256Hash } from '@keelson/primitives'
import type { SealedHeader } from '../../chain/chain-reader.ts'

export interface RawHeader extends SealedHeader {
  readonly raw: Uint8Array
}

/** Returns null for bytes that are no header. */
export function decodeRawHeader(raw: Uint8Array): RawHeader | null {
  try {
    return { raw, hash: keccak256Hash(raw), header: decodeHeader(raw) }
  } catch (error) {
    if (error instanceof CodecError) return null
    throw error
  }
}
