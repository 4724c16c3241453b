import type { Hash, Logger } from '@keelson/primitives'
import type { BridgeSenders } from './deposit-facts.ts'
import { explainL1Revert, NO_DEPOSIT } from './explain.ts'
import { includedRecord, readDeposits, reorgedRecord } from './l1-indexer.ts'
import type { BridgeL1, L1Transaction } from './ports.ts'
import type { TransactionRecord } from './record.ts'
import type { RecordStore } from './record-store.ts'

export interface L1LookupDependencies {
  readonly l1: Pick<BridgeL1, 'transaction' | 'nonceOf' | 'revertData'>
  readonly records: RecordStore
  readonly senders: BridgeSenders
  readonly nowMs: () => number
  readonly log: Logger
}

/** Throws when L1 is unavailable. */
export async function lookUpOnL1(txHash: Hash, deps: L1LookupDependencies): Promise<void> {
  const { l1, records, senders, nowMs, log } = deps
  await records.update(txHash, (current) => (current !== null && isOrphaned(current, records) ? reorgedRecord(current) : null))
  const tx = await l1.transaction(txHash)
  if (tx === null) {
    const known = records.get(txHash)
    if (known === null || known.block !== null) return
    const overtaken = known.pool !== null && (await l1.nonceOf(known.pool.from)) > BigInt(known.pool.nonce)
    return records.update(txHash, (current) =>
      current === null || current.block !== null || current.pool === null
        ? null
        : { ...current, pool: { ...current.pool, missing: true, overtaken } },
    )
  }
  const { inclusion } = tx
  if (inclusion === null) return records.update(txHash, (current) => inPool(tx, current, nowMs()))
  const { block } = inclusion
  const deposits = inclusion.succeeded ? readDeposits(inclusion.deposits, senders, log) : []
  const reason = inclusion.succeeded
    ? deposits.length === 0
      ? NO_DEPOSIT
      : null
    : explainL1Revert(tx, inclusion.gasUsed, await revertDataOf(l1, tx, block.number))
  return records.update(txHash, (current) => {
    // The node missed a reorg that the index knows.
    const canonical = records.hashAt(block.number)
    if (canonical !== null && canonical !== block.hash) return null
    return { ...includedRecord(txHash, block, deposits, current), reason }
  })
}

const MAX_REPEATED_GAS = 5_000_000n

/** Callers choose the transactions, so expensive ones are skipped. */
async function revertDataOf(l1: L1LookupDependencies['l1'], tx: L1Transaction, blockNumber: number): Promise<Uint8Array | null> {
  return tx.gasLimit > MAX_REPEATED_GAS ? null : l1.revertData(tx, blockNumber).catch(() => null)
}

function inPool(tx: L1Transaction, current: TransactionRecord | null, nowMs: number): TransactionRecord | null {
  // A lagging node still has the included transaction in its pool.
  if (current !== null && current.block !== null) return null
  return {
    txHash: tx.hash,
    submittedMs: current?.submittedMs ?? nowMs,
    block: null,
    reason: null,
    deposits: [],
    reorged: current?.reorged ?? false,
    pool: { from: tx.from, nonce: tx.nonce.toString(), valueWei: tx.valueWei.toString(), missing: false, overtaken: false },
  }
}

export function needsL1(record: TransactionRecord | null, records: RecordStore): boolean {
  return record === null || record.block === null || isOrphaned(record, records)
}

function isOrphaned({ block }: TransactionRecord, records: RecordStore): boolean {
  const canonical = block === null ? null : records.hashAt(block.number)
  return canonical !== null && canonical !== block?.hash
}
