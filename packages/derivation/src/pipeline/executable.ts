import type { BatchTransactions } from '../codec/batch/batch-transactions.ts'

/** Lower bound of a transaction's gas: about 21,000 and 4 per byte; refunds return at most a fifth (EIP-3529). */
const LEAST_GAS = 19_400
const GAS_PER_BYTE = 4
const CHARGED_SHARE = 4 / 5

const UNDECODABLE: readonly Uint8Array[] = [new Uint8Array(0)]

/**
 * Replaces a list that no block can hold by a short one that the engine also rejects. A few kilobytes of a channel can declare a
 * hundred megabytes; an engine refuses such a request, which would look like its failure.
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
