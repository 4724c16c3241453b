/** Can a block hold these transactions at all? Asked before a list that no block can hold is sent to the engine. */
import type { BatchTransactions } from '../codec/batch-transactions.ts'

/**
 * Every transaction needs 21,000 gas and at least 4 for each byte of its data; access lists and authorizations cost more
 * for each byte, and the other fields take less than 400 bytes. A block includes none whose fields are larger. Refunds
 * give back at most a fifth (EIP-3529).
 */
const LEAST_GAS = 19_400
const GAS_PER_BYTE = 4
const CHARGED_SHARE = 4 / 5

/** In place of a list that no block can hold: no engine decodes it, so the verdict is that on the list. */
const UNDECODABLE: readonly Uint8Array[] = [new Uint8Array(0)]

/**
 * The list itself when a block of this gas limit may hold it, else one that the engine refuses as it would refuse the
 * list. A few kilobytes of a channel can state a hundred megabytes of transactions, more than an engine accepts as the
 * body of a request: it would answer with an error that does not tell the transactions from a failure of its own.
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
