import type { Block } from '@keelson/primitives'
import type { ExecutedBlock } from '../import/executed-block.ts'
import type { StoredReceipt } from './records.ts'

const HEADER_BYTES = 2_500
const TRANSACTION_BYTES = 1_200
const RECEIPT_BYTES = 1_000
const LOG_BYTES = 600

export const headerMemoryBytes = () => HEADER_BYTES

export function blockMemoryBytes(block: Block): number {
  let bytes = HEADER_BYTES
  for (const tx of block.transactions) bytes += TRANSACTION_BYTES + 2 * tx.raw.length
  return bytes
}

export function receiptsMemoryBytes(receipts: readonly StoredReceipt[]): number {
  let bytes = 0
  for (const { receipt } of receipts) {
    bytes += RECEIPT_BYTES
    for (const log of receipt.logs) bytes += LOG_BYTES + log.data.length
  }
  return bytes
}

export function executedMemoryBytes({ block, receipts, diff, computed }: ExecutedBlock): number {
  return blockMemoryBytes(block) + receiptsMemoryBytes(receipts) + diff.length + computed.nodes.length
}
