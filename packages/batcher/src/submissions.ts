/** Channels on their way: which blocks they hold, which of their transactions are settled, and where. */
import type { ChannelId } from '@keelson/derivation/codec'
import type { L2BlockRef } from '@keelson/primitives'
import type { L1Receipt } from './ports.ts'

export interface Submission {
  readonly channelId: ChannelId
  readonly last: L2BlockRef
  /** L1 block of its last transaction; null until all are settled. */
  readonly completedAt: number | null
}

export interface Submissions {
  /** Transactions not settled yet, those of an earlier run included. */
  readonly pendingCount: number
  /** Highest L1 block that holds a settled transaction; 0 for none. */
  readonly highestInclusion: number
  /** Channels sent or being sent whose blocks are not all safe yet. */
  readonly channels: readonly Submission[]
  /** Why a transaction was lost since this was last asked; null when none was. */
  takeFailure(): string | null
  /** What was opened cannot be sent as it is. */
  fail(reason: string): void
  /** A channel of so many transactions; each is handed over as it is sent. */
  open(channelId: ChannelId, last: L2BlockRef, transactionCount: number): (receipt: Promise<L1Receipt>) => void
  /** A transaction of an earlier run, of whose blocks nothing is known. */
  watch(receipt: Promise<L1Receipt>): void
  /** Forgets channels whose blocks are all safe. */
  prune(safeNumber: number): void
  /** The first channel that was completed before this L1 block and whose blocks are still not safe. */
  findLost(currentL1: number, safeNumber: number): Submission | null
  /** Forgets all channels; their pending transactions still count. */
  forget(): void
}

interface Entry extends Submission {
  unsettled: number
  completedAt: number | null
}

/** `included` is told of each block that holds a transaction. */
export function createSubmissions(included: (l1Block: number) => void = () => undefined): Submissions {
  let entries: Entry[] = []
  let pendingCount = 0
  let highestInclusion = 0
  let failure: string | null = null

  function settle(receipt: L1Receipt, entry: Entry | null): void {
    highestInclusion = Math.max(highestInclusion, receipt.blockNumber)
    included(receipt.blockNumber)
    if (!receipt.succeeded) {
      failure = `transaction ${receipt.transactionHash} reverted: the batch inbox must be an account without code`
      return
    }
    if (entry === null) return
    entry.unsettled--
    if (entry.unsettled === 0) entry.completedAt = highestInclusion
  }

  function follow(receipt: Promise<L1Receipt>, entry: Entry | null): void {
    pendingCount++
    receipt
      .then(
        (settled) => settle(settled, entry),
        (error: unknown) => {
          failure = error instanceof Error ? error.message : String(error)
        },
      )
      .finally(() => {
        pendingCount--
      })
  }

  return {
    get pendingCount() {
      return pendingCount
    },
    get highestInclusion() {
      return highestInclusion
    },
    get channels() {
      return entries
    },
    takeFailure() {
      const taken = failure
      failure = null
      return taken
    },
    fail(reason) {
      failure = reason
    },
    open(channelId, last, transactionCount) {
      const entry: Entry = { channelId, last, unsettled: transactionCount, completedAt: null }
      entries.push(entry)
      return (receipt) => follow(receipt, entry)
    },
    watch: (receipt) => follow(receipt, null),
    prune(safeNumber) {
      entries = entries.filter((entry) => entry.last.number > safeNumber)
    },
    findLost(currentL1, safeNumber) {
      const lost = (entry: Entry) => entry.completedAt !== null && entry.completedAt < currentL1 && entry.last.number > safeNumber
      return entries.find(lost) ?? null
    },
    forget() {
      entries = []
    },
  }
}
