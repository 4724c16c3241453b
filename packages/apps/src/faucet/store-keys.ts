/** The transaction journal uses 0xf0 and 0xf1. */
import { concatBytes } from '@keelson/primitives'

/** By id (8 bytes). */
export const CLAIM_BUCKET = 0x10
/** By address: granted developers. */
export const DEVELOPER_BUCKET = 0x11
/** By address: linked accounts. */
export const LINK_BUCKET = 0x12
/** By address: open applications. */
export const APPLICATION_BUCKET = 0x13

export function keyIn(bucket: number, key: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(bucket), key)
}

export function bucketRange(bucket: number): readonly [from: Uint8Array, to: Uint8Array] {
  return [Uint8Array.of(bucket), Uint8Array.of(bucket + 1)]
}
