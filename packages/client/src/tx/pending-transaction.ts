import type { BlobSidecar } from './blob-sidecar.ts'
import type { TransactionReceipt } from './chain-account.ts'
import type { JournalEntry } from './journal.ts'

export interface PendingTransaction {
  /** Replaced when fees or attempts change. */
  entry: JournalEntry
  readonly sidecar: BlobSidecar | null
  /** Time of the last send with a new price. */
  sentMs: number
  /** Send again unchanged at the next step, because the last send may not have reached a pool. */
  announce: boolean
  /** Since when the pool refuses it because of a transaction of the other kind. */
  reservedSinceMs: number | null
  /** Why its price may not be raised. */
  heldBack: string | null
  /** A version may be in a pool. */
  offered: boolean
  /** The nonce is used; at this head the chain did not show by which transaction. */
  judgedHead: number
  /** Consecutive heads at which the node could not tell. */
  doubts: number
  doubt: string | null
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
  // The caller may be gone after a restart.
  receipt.catch(() => undefined)
  const looks = { offered: false, judgedHead: -1, doubts: 0, doubt: null }
  return { entry, sidecar, sentMs: nowMs, announce: false, reservedSinceMs: null, heldBack: null, ...looks, receipt, resolve, reject }
}
