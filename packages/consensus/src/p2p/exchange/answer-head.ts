/**
 * The fixed fields at the start of an answer, read before anything is decoded or hashed. Layout:
 * primitives/src/engine/ssz-payload.ts
 */

import type { PayloadVersion } from '@keelson/primitives'
import { bytesToHex, type Hash, toHash } from '@keelson/primitives'

export interface AnswerHead {
  readonly blockNumber: bigint
  readonly gasUsed: bigint
  readonly gasLimit: bigint
  /** Not verified. */
  readonly blockHash: Hash
  readonly transactionsAt: number
}

const BEACON_ROOT_BYTES = 32
const NUMBER_AT = 404
const GAS_LIMIT_AT = 412
const GAS_USED_AT = 420
const BLOCK_HASH_AT = 472
const TRANSACTIONS_OFFSET_AT = 504
const HEAD_BYTES = 508

/** Larger blocks are left to derivation. Standard rollups allow at most 200,000,000. specs: protocol/configurability.md */
const MAX_BLOCK_GAS = 500_000_000n
/** A transaction costs at least 21,000 gas, of which refunds return at most a fifth (EIP-3529). */
const LEAST_GAS_OF_TRANSACTION = 16_800n
/** Before Regolith the L1 info deposit uses no gas. */
const FREE_TRANSACTIONS = 1n

export function payloadOffset(version: PayloadVersion): number {
  return version < 3 ? 0 : BEACON_ROOT_BYTES
}

export function readAnswerHead(version: PayloadVersion, first: Uint8Array): AnswerHead | null {
  const at = payloadOffset(version)
  if (first.length < at + HEAD_BYTES) return null
  const view = new DataView(first.buffer, first.byteOffset + at, HEAD_BYTES)
  return {
    blockNumber: view.getBigUint64(NUMBER_AT, true),
    gasLimit: view.getBigUint64(GAS_LIMIT_AT, true),
    gasUsed: view.getBigUint64(GAS_USED_AT, true),
    blockHash: toHash(bytesToHex(first.subarray(at + BLOCK_HASH_AT, at + BLOCK_HASH_AT + 32))),
    transactionsAt: view.getUint32(TRANSACTIONS_OFFSET_AT, true),
  }
}

export function mostTransactions({ gasUsed }: AnswerHead): number | null {
  if (gasUsed > MAX_BLOCK_GAS) return null
  return Number(gasUsed / LEAST_GAS_OF_TRANSACTION + FREE_TRANSACTIONS)
}

/** Returns the number that the first offset implies, unverified. */
export function statedTransactions(version: PayloadVersion, { transactionsAt }: AnswerHead, data: Uint8Array): number {
  const at = payloadOffset(version) + transactionsAt
  if (at + 4 > data.length) return 0
  return Math.floor(new DataView(data.buffer, data.byteOffset + at, 4).getUint32(0, true) / 4)
}
