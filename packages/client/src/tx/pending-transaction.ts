/** A transaction under way: its journal entry, its sidecar, and the promise its sender holds. */
import type { BlobSidecar } from './blob-sidecar.ts'
import type { TransactionReceipt } from './chain-account.ts'
import type { JournalEntry } from './journal.ts'

export interface PendingTransaction {
  /** Replaced as a whole when prices or attempts change. */
  entry: JournalEntry
  readonly sidecar: BlobSidecar | null
  /** When it was last sent with a new price. */
  sentMs: number
  /** To be sent as it is at the next step: the last try did not reach a pool for certain. */
  announce: boolean
  /** Since when the pool refuses it for one of the other kind; null when it does not. */
  reservedSinceMs: number | null
  /** Why its price may not be raised; null when it may. */
  heldBack: string | null
  readonly receipt: Promise<TransactionReceipt>
  resolve(receipt: TransactionReceipt): void
  reject(error: Error): void
}

export function createPendingTransaction(entry: JournalEntry, sidecar: BlobSidecar | null, nowMs: number): PendingTransaction {
  let resolve: (receipt: TransactionReceipt) => void = () => undefined
  let reject: (error: Error) => void = () => undefined
  const receipt = new Promise<TransactionReceipt>((onReceipt, onError) => {
    resolve = onReceipt
    reject = onError
  })
  // nobody may be waiting, for instance after a restart
  receipt.catch(() => undefined)
  return { entry, sidecar, sentMs: nowMs, announce: false, reservedSinceMs: null, heldBack: null, receipt, resolve, reject }
}
