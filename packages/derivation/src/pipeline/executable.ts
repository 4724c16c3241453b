/** Checks whether a block can hold a list of transactions, before the list is sent to the engine. */
import type { BatchTransactions } from '../codec/batch/batch-transactions.ts'

/** 21,000, and 4 per byte of data; refunds return at most a fifth (EIP-3529). */
const LEAST_GAS = 19_400
const GAS_PER_BYTE = 4
const CHARGED_SHARE = 4 / 5

const UNDECODABLE: readonly Uint8Array[] = [new Uint8Array(0)]

/**
 * Returns the list, or one that the engine also rejects when no block can hold it. A few kilobytes of a channel can declare a
 * hundred megabytes, more than an engine accepts as a request; that error would look like a failure of the engine.
 */
export function executableOrRefused(transactions: BatchTransactions, gasLimit: bigint): readonly Uint8Array[] {
  const mostGas = Number(gasLimit)
  const kept: Uint8Array[] = []
  let gas = 0
  for (const transaction of transactions) {
    gas += CHARGED_SHARE * (LEAST_GAS + GAS_PER_BYTE * transaction.length)
    if (gas > mostGas) return UNDECODABLE
    kept.push(transaction)
  }
  return kept
}
