/** Checks whether a block can hold a list of transactions before the list is sent to the engine. */
import type { BatchTransactions } from '../codec/batch-transactions.ts'

/**
 * Every transaction needs 21,000 gas and at least 4 per byte of its data; access lists and authorizations cost more per
 * byte, and the other fields take less than 400 bytes in any transaction that a block can include. Refunds return at most
 * a fifth (EIP-3529).
 */
const LEAST_GAS = 19_400
const GAS_PER_BYTE = 4
const CHARGED_SHARE = 4 / 5

/** Replaces a list that no block can hold: engines cannot decode it and return the verdict that the list would get. */
const UNDECODABLE: readonly Uint8Array[] = [new Uint8Array(0)]

/**
 * Returns the list when a block of this gas limit may hold it, else a list that the engine rejects in the same way. A few
 * kilobytes of a channel can declare a hundred megabytes of transactions, more than an engine accepts as a request body:
 * its error would not distinguish invalid transactions from a failure of the engine.
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
