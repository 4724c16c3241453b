import type { BlobSidecar } from './blob-sidecar.ts'
import type { TransactionReceipt } from './chain-account.ts'
import type { JournalEntry } from './journal.ts'

export interface PendingTransaction {
  entry: JournalEntry
  readonly sidecar: BlobSidecar | null
  /** Time of the last send. */
  sentMs: number
  /** The next step sends the transaction again unchanged, because no pool may have it. */
  announce: boolean
  /** Time since which transactions of the other kind (blob or not) keep this one out of the pool. */
  reservedSinceMs: number | null
  heldBack: string | null
  /** True when a version may be in a pool. */
  offered: boolean
  /** Last head at which the use of the nonce was judged; -1: never. */
  judgedHead: number
  /** Consecutive heads at which the node could not tell who used the nonce. */
  doubts: number
  doubt: string | null
  /** Why the node has not taken it, and since when; null once it is in a pool. */
  notTaken: { readonly sinceMs: number; reason: string; said: boolean } | null
  /** Heads at which the node refused it for good and nobody had it. */
  readonly refusedHeads: Set<number>
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
  receipt.catch(() => undefined)
  const looks = { offered: false, judgedHead: -1, doubts: 0, doubt: null, notTaken: null, refusedHeads: new Set<number>() }
  return { entry, sidecar, sentMs: nowMs, announce: false, reservedSinceMs: null, heldBack: null, ...looks, receipt, resolve, reject }
}
