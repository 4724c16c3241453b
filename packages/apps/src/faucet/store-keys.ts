/** Buckets of the faucet's store. The journal of transactions, in the same store, has 0xf0 and 0xf1. */
import { concatBytes } from '@keelson/primitives'

/** By id (8 bytes): claims. */
export const CLAIM_BUCKET = 0x10
/** By address: developers, as granted by the operator. */
export const DEVELOPER_BUCKET = 0x11
/** By address: addresses that an account stands for. */
export const LINK_BUCKET = 0x12
/** By address: applications that wait for the operator. */
export const APPLICATION_BUCKET = 0x13

export function keyIn(bucket: number, key: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(bucket), key)
}

export function bucketRange(bucket: number): readonly [from: Uint8Array, to: Uint8Array] {
  return [Uint8Array.of(bucket), Uint8Array.of(bucket + 1)]
}
