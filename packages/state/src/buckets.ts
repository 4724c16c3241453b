/** First byte of every key of `state`, 0x10 to 0x3f. Released numbers are never reused. */
import type { Bytes32 } from '@keelson/primitives'

export const BUCKETS = {
  /** name (ASCII) -> disk marker, history bounds, number of rollbacks or download record */
  meta: 0x10,
  /** address hash -> account (account-codec.ts) */
  account: 0x11,
  /** address hash | slot hash -> value without leading zeroes */
  slot: 0x12,
  /** code hash -> code; never deleted, because accounts may share it */
  code: 0x13,
  /** path, one byte a nibble -> RLP of the node */
  accountNode: 0x14,
  /** address hash | path -> RLP of the node */
  storageNode: 0x15,
  /** hash -> address (20 bytes) or slot (32 bytes) */
  preimage: 0x16,
  /** block hash -> layers/layer-record.ts */
  layer: 0x17,
  /** key in a versioned bucket | block number u48 -> value before that block */
  historyValue: 0x20,
  /** level u8 | versioned key | shard u32 -> set of blocks (or lower shards) that changed the key */
  historyIndex: 0x21,
  /** block number u48 -> keys that the block changed */
  historyBlock: 0x22,
} as const

export const RETIRED_BUCKETS: Readonly<Record<string, number>> = {}

export const META_DISK = 'disk'
export const META_HISTORY = 'history'
export const META_ROLLBACKS = 'rollbacks'
export const META_DOWNLOAD = 'download'

export function metaKey(name: string): Uint8Array {
  const out = new Uint8Array(1 + name.length)
  out[0] = BUCKETS.meta
  for (let i = 0; i < name.length; i++) out[1 + i] = name.charCodeAt(i)
  return out
}

export function bucketKey(bucket: number, first: Uint8Array, second?: Uint8Array): Uint8Array {
  const out = new Uint8Array(1 + first.length + (second?.length ?? 0))
  out[0] = bucket
  out.set(first, 1)
  if (second !== undefined) out.set(second, 1 + first.length)
  return out
}

/** `to` is exclusive. The prefix must contain a byte other than 0xff. */
export function prefixRange(prefix: Uint8Array): { readonly from: Uint8Array; readonly to: Uint8Array } {
  let end = prefix.length
  while (end > 1 && prefix[end - 1] === 0xff) end--
  const to = prefix.slice(0, end)
  to[end - 1] = (to[end - 1] as number) + 1
  return { from: prefix, to }
}

/** Node prefixes have one character per byte. */
export const ACCOUNT_NODE_PREFIX = String.fromCharCode(BUCKETS.accountNode)
export function storageNodePrefix(addressHash: Bytes32): string {
  return String.fromCharCode(BUCKETS.storageNode, ...addressHash)
}

export function blockNumberBytes(number: number): Uint8Array {
  const out = new Uint8Array(6)
  new DataView(out.buffer).setUint16(0, Math.floor(number / 2 ** 32))
  new DataView(out.buffer).setUint32(2, number % 2 ** 32)
  return out
}
