import type { IncludedTx } from '@keelson/evm'
import { bytesToHex, type Transaction } from '@keelson/primitives'

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
