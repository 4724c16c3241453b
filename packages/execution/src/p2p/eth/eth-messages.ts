/** devp2p caps/eth.md, versions 68 to 70 */
import {
  bytesToHex,
  CodecError,
  concatBytes,
  type Hash,
  hexToBytes,
  type RlpInput,
  rlpBigint,
  rlpBytes,
  rlpEncode,
  rlpEncodeList,
  rlpList,
  toHash,
} from '@keelson/primitives'
import { rlpSmall, rlpString } from '../bounded-rlp.ts'
import { rawItems } from '../raw-list.ts'
import type { OfferedCapability } from '../rlpx/shared-capabilities.ts'

export const ETH = 'eth'
export type EthVersion = 68 | 69 | 70

/** The number of message codes of a version. */
export const ETH_CAPABILITIES: readonly OfferedCapability[] = [
  { name: ETH, version: 70, length: 18 },
  { name: ETH, version: 69, length: 18 },
  { name: ETH, version: 68, length: 17 },
]

export const ETH_CODES = {
  status: 0x00,
  newBlockHashes: 0x01,
  transactions: 0x02,
  getBlockHeaders: 0x03,
  blockHeaders: 0x04,
  getBlockBodies: 0x05,
  blockBodies: 0x06,
  newBlock: 0x07,
  newPooledTransactionHashes: 0x08,
  getPooledTransactions: 0x09,
  pooledTransactions: 0x0a,
  getReceipts: 0x0f,
  receipts: 0x10,
  blockRangeUpdate: 0x11,
} as const

/** A response may exceed it by its last item. */
export const SOFT_RESPONSE_BYTES = 2 * 1024 * 1024
/** A message may have 10 MiB; 64 KiB of them are kept free for the headers of its lists. */
export const HARD_RESPONSE_BYTES = 10 * 1024 * 1024 - 64 * 1024
export const MAX_RESPONSE_ITEMS = 1_024
/** go-ethereum asks for 2,000 transactions at once. */
const MAX_REQUESTED_HASHES = 4_096
const MAX_HEADERS_QUERY_BYTES = 128

/** `items` are RLP. */
export function encodeResponse(id: bigint, items: readonly Uint8Array[]): Uint8Array {
  return rlpEncodeList([rlpEncode(id), rlpEncodeList(items)])
}

export interface HeadersQuery {
  /** Number or hash. */
  readonly origin: bigint | Hash
  readonly amount: bigint
  readonly skip: bigint
  readonly reverse: boolean
}

export function headersQueryToRlp({ origin, amount, skip, reverse }: HeadersQuery): RlpInput {
  return [typeof origin === 'bigint' ? origin : hexToBytes(origin), amount, skip, reverse ? 1 : 0]
}

/** Throws CodecError. */
export function decodeHeadersQuery(body: Uint8Array): HeadersQuery {
  const [origin, amount, skip, reverse] = rlpList(rlpSmall(body, MAX_HEADERS_QUERY_BYTES, 'headers request'), 'headers request')
  const start = rlpBytes(origin, 'origin')
  return {
    origin: start.length === 32 ? toHash(start) : rlpBigint(start, 'origin', 8),
    amount: rlpBigint(amount, 'amount', 8),
    skip: rlpBigint(skip, 'skip', 8),
    reverse: rlpBigint(reverse, 'reverse', 1) === 1n,
  }
}

export function hashesToRlp(hashes: readonly Hash[]): RlpInput {
  return hashes.map((hash) => hexToBytes(hash))
}

/** Throws CodecError. */
export function decodeHashes(body: Uint8Array): Hash[] {
  return rawItems(body, MAX_REQUESTED_HASHES, 'hashes').map((item) => {
    if (item.length !== 33 || item[0] !== 0xa0) throw new CodecError('codec/rlp', 'expected a hash of 32 bytes')
    return bytesToHex(item.subarray(1)) as Hash
  })
}

/** A typed transaction or receipt is a byte string, a legacy one a list. */
export function envelopeToRlp(raw: Uint8Array): Uint8Array {
  return (raw[0] as number) >= 0xc0 ? raw : rlpEncode(raw)
}

/** Throws CodecError. */
export function envelopeFromRlp(item: Uint8Array): Uint8Array {
  return (item[0] as number) >= 0xc0 ? item : rlpBytes(rlpString(item), 'typed envelope')
}

export function typedEnvelope(type: number, content: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(type), content)
}
