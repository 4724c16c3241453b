/** Records of a block that depend on whether it is canonical: its number, its transactions and its logs. */
import { type Block, hexToBytes } from '@keelson/primitives'
import type { KeyValueOp } from '@keelson/runtime'
import { canonicalKey, transactionKey } from './keys.ts'
import { logPostings } from './log-postings.ts'
import { encodeLocation, type StoredReceipt } from './records.ts'

const NOTHING = new Uint8Array(0)

export function canonicalOps(block: Block, receipts: readonly StoredReceipt[]): KeyValueOp[] {
  const blockNumber = block.header.number
  return [
    ...logPostings(blockNumber, receipts).map((put) => ({ put, value: NOTHING })),
    { put: canonicalKey(blockNumber), value: hexToBytes(block.hash) },
    ...block.transactions.map((tx, index) => ({ put: transactionKey(tx.hash), value: encodeLocation({ blockNumber, index }) })),
  ]
}

export function staleOps(block: Block, receipts: readonly StoredReceipt[]): KeyValueOp[] {
  return [
    { del: canonicalKey(block.header.number) },
    ...block.transactions.map((tx) => ({ del: transactionKey(tx.hash) })),
    ...logPostings(block.header.number, receipts).map((del) => ({ del })),
  ]
}
