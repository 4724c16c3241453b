/**
 * Keys of chain records. The first byte is the bucket (state 0x10-0x3f, chain 0x40-0x7f); never reuse the number of a retired
 * bucket.
 */
import { type Address, bigintToBytes, bytesToNumber, concatBytes, type Hash, hexToBytes } from '@keelson/primitives'

const BUCKET = {
  identity: 0x40,
  /** block hash -> RLP */
  header: 0x41,
  /** block hash -> RLP [transactions, withdrawals?] */
  body: 0x42,
  /** block hash -> RLP [[receipt, deposit nonce, sender, fee details], ...] */
  receipts: 0x43,
  /** number u64 -> hash of the canonical block */
  canonical: 0x44,
  /** transaction hash -> number u64, index u32; canonical blocks only */
  transaction: 0x45,
  labels: 0x46,
  /** number u64, block hash -> nothing; blocks of all branches */
  blockAt: 0x47,
  /** address, number u64 -> nothing; canonical blocks */
  logAddress: 0x48,
  /** address, first 8 bytes of a log's first topic, number u64 -> nothing; canonical blocks */
  logTopic: 0x49,
  /** number u64: first canonical block in logAddress and logTopic */
  logsIndexedFrom: 0x4a,
  /** number u64: oldest stored block after genesis; absent when the chain is complete */
  oldestBlock: 0x4b,
  /** progress of a snapshot import; absent when complete */
  importing: 0x4c,
  /** number u64 -> RLP of a header that sync has fetched and not executed yet */
  syncHeader: 0x4d,
  /** RLP of the ranges in syncHeader */
  syncSegments: 0x4e,
  /** transaction hash -> RLP [time added, raw, order] */
  pooled: 0x50,
  /** filter id -> JSON */
  filter: 0x51,
  /** as BanList in runtime/peers */
  peerBans: 0x60,
  /** no further key -> RLP list of enode URLs */
  knownNodes: 0x61,
  /** no further key -> RLP list of discovery records */
  nodeRecords: 0x62,
} as const

export const CHAIN_BUCKETS: Readonly<Record<string, number>> = BUCKET

export const PEER_BUCKETS = { bans: BUCKET.peerBans, knownNodes: BUCKET.knownNodes, nodeRecords: BUCKET.nodeRecords } as const

export const U64_BYTES = 8

function key(bucket: number, ...parts: readonly Uint8Array[]): Uint8Array {
  return concatBytes(Uint8Array.of(bucket), ...parts)
}

function u64(value: number): Uint8Array {
  return bigintToBytes(BigInt(value), U64_BYTES)
}

export function isJournalKey(key: Uint8Array): boolean {
  return key[0] === BUCKET.pooled || key[0] === BUCKET.filter
}

export const identityKey = () => key(BUCKET.identity)
export const headerKey = (hash: Hash) => key(BUCKET.header, hexToBytes(hash))
export const bodyKey = (hash: Hash) => key(BUCKET.body, hexToBytes(hash))
export const receiptsKey = (hash: Hash) => key(BUCKET.receipts, hexToBytes(hash))
export const canonicalKey = (number: number) => key(BUCKET.canonical, u64(number))
export const transactionKey = (hash: Hash) => key(BUCKET.transaction, hexToBytes(hash))
export const labelsKey = () => key(BUCKET.labels)
export const blockAtKey = (number: number, hash: Hash) => key(BUCKET.blockAt, u64(number), hexToBytes(hash))
export const logAddressKey = (address: Address, number: number) => key(BUCKET.logAddress, hexToBytes(address), u64(number))
export const logTopicKey = (address: Address, topic: Hash, number: number) =>
  key(BUCKET.logTopic, hexToBytes(address), topicPrefix(topic), u64(number))
export const logsIndexedFromKey = () => key(BUCKET.logsIndexedFrom)
export const oldestBlockKey = () => key(BUCKET.oldestBlock)
export const importingKey = () => key(BUCKET.importing)
export const syncHeaderKey = (number: number) => key(BUCKET.syncHeader, u64(number))
export const syncSegmentsKey = () => key(BUCKET.syncSegments)
export const pooledKey = (hash: Hash) => key(BUCKET.pooled, hexToBytes(hash))

/** If two topics share a prefix, the only cost is reading a block in vain. */
const TOPIC_PREFIX_BYTES = 8

function topicPrefix(topic: Hash): Uint8Array {
  return hexToBytes(topic).subarray(0, TOPIC_PREFIX_BYTES)
}

export function logPostingRange(address: Address, topic: Hash | null, from: number, to: number): readonly [Uint8Array, Uint8Array] {
  return topic === null
    ? [logAddressKey(address, from), logAddressKey(address, to)]
    : [logTopicKey(address, topic, from), logTopicKey(address, topic, to)]
}

export function numberOfPosting(posting: Uint8Array): number {
  return bytesToNumber(posting.subarray(posting.length - U64_BYTES))
}

export function blockAtRange(from: number, to: number): readonly [Uint8Array, Uint8Array] {
  return [key(BUCKET.blockAt, u64(from)), key(BUCKET.blockAt, u64(to))]
}

export function hashOfBlockAtKey(blockAt: Uint8Array): Uint8Array {
  return blockAt.subarray(1 + U64_BYTES)
}

export const filterKey = (id: Uint8Array) => key(BUCKET.filter, id)

export function filterRange(): readonly [Uint8Array, Uint8Array] {
  return [key(BUCKET.filter), key(BUCKET.filter + 1)]
}

export function pooledRange(): readonly [Uint8Array, Uint8Array] {
  return [key(BUCKET.pooled), key(BUCKET.pooled + 1)]
}
