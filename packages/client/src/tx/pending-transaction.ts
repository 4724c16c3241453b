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
  /** A version of it was given to a node in this run: it may be in a pool, whatever was answered. */
  offered: boolean
  /** Its nonce is used, and of this head the chain has not yet said by which transaction. */
  judgedHead: number
  /** Heads in a row at which the node could not tell, and why. */
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
  // nobody may be waiting, for instance after a restart
  receipt.catch(() => undefined)
  const looks = { offered: false, judgedHead: -1, doubts: 0, doubt: null }
  return { entry, sidecar, sentMs: nowMs, announce: false, reservedSinceMs: null, heldBack: null, ...looks, receipt, resolve, reject }
}
