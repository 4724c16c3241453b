import type { IncludedTx } from '@keelson/evm'
import {
  bytesToHex,
  encodeReceipt,
  type Hash,
  hexToBytes,
  logsBloom,
  orderedListRoot,
  type Transaction,
  toAddress,
  toHash,
} from '@keelson/primitives'

interface ExpectedLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
}

export interface ExpectedReceipt {
  readonly txHash: string
  readonly type: string
  readonly status: string
  readonly gasUsed: string
  readonly cumulativeGasUsed: string
  readonly logs: readonly ExpectedLog[]
  readonly l1Fee?: string
  readonly depositNonce?: string
  readonly depositReceiptVersion?: string
}

type Comparable = Readonly<Record<string, unknown>>

const quantity = (value: string | undefined) => (value === undefined ? null : BigInt(value))

export function statedReceipt(receipt: ExpectedReceipt): Comparable {
  return {
    txHash: receipt.txHash,
    type: Number(receipt.type),
    status: Number(receipt.status),
    gasUsed: BigInt(receipt.gasUsed),
    cumulativeGasUsed: BigInt(receipt.cumulativeGasUsed),
    logs: receipt.logs.map(({ address, topics, data }) => ({ address, topics, data })),
    l1Fee: quantity(receipt.l1Fee),
    depositNonce: quantity(receipt.depositNonce),
    depositReceiptVersion: quantity(receipt.depositReceiptVersion),
  }
}

export function executedReceipt(tx: Transaction, { receipt, gasUsed, l1Fee }: IncludedTx): Comparable {
  return {
    txHash: tx.hash,
    type: receipt.type,
    status: 'status' in receipt.outcome ? receipt.outcome.status : null,
    gasUsed,
    cumulativeGasUsed: receipt.cumulativeGasUsed,
    logs: receipt.logs.map(({ address, topics, data }) => ({
      address,
      topics,
      data: bytesToHex(data),
    })),
    l1Fee: l1Fee?.l1FeeWei ?? null,
    depositNonce: receipt.depositNonce,
    depositReceiptVersion: receipt.depositReceiptVersion,
  }
}

/** What a page can send: numbers above 2^53 as text. */
export function asText(receipts: readonly Comparable[]): unknown {
  return JSON.parse(JSON.stringify(receipts, (_, value) => (typeof value === 'bigint' ? String(value) : value)))
}

/** Root of the receipts as the vector states them. */
export function statedReceiptsRoot(receipts: readonly ExpectedReceipt[]): Hash {
  return orderedListRoot(
    receipts.map((stated) => {
      const logs = stated.logs.map(({ address, topics, data }) => ({
        address: toAddress(address),
        topics: topics.map(toHash),
        data: hexToBytes(data),
      }))
      return encodeReceipt({
        type: Number(stated.type),
        outcome: { status: Number(stated.status) as 0 | 1 },
        cumulativeGasUsed: BigInt(stated.cumulativeGasUsed),
        logsBloom: logsBloom(logs),
        logs,
        depositNonce: quantity(stated.depositNonce),
        depositReceiptVersion: quantity(stated.depositReceiptVersion),
      })
    }),
  )
}

/** Gas of each receipt from the sums, which the root covers. */
export function gasOfSums(receipts: readonly ExpectedReceipt[]): readonly bigint[] {
  return receipts.map((receipt, i) => BigInt(receipt.cumulativeGasUsed) - BigInt(receipts[i - 1]?.cumulativeGasUsed ?? 0))
}
