/** The transaction journal uses 0xf0 and 0xf1. */
import { concatBytes } from '@keelson/primitives'

/** Claims by id (8 bytes). */
export const CLAIM_BUCKET = 0x10
/** Granted developers by address. */
export const DEVELOPER_BUCKET = 0x11
/** Linked accounts by address. */
export const LINK_BUCKET = 0x12
/** Open applications by address. */
export const APPLICATION_BUCKET = 0x13

export function keyIn(bucket: number, key: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(bucket), key)
}

export function bucketRange(bucket: number): readonly [from: Uint8Array, to: Uint8Array] {
  return [Uint8Array.of(bucket), Uint8Array.of(bucket + 1)]
}
