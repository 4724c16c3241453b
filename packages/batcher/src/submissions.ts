/** Tracks sent channels until their blocks are safe. */
import type { ChannelId } from '@keelson/derivation/codec'
import type { L2BlockRef } from '@keelson/primitives'
import type { L1Receipt } from './ports.ts'

export interface Submission {
  readonly channelId: ChannelId
  readonly last: L2BlockRef
  /** Null until all its transactions are settled. */
  readonly completedAt: number | null
}

export interface Submissions {
  /** Includes transactions of an earlier run. */
  readonly pendingCount: number
  /** 0 before the first inclusion. */
  readonly highestInclusion: number
  readonly channels: readonly Submission[]
  /** Returns and clears the failure. */
  takeFailure(): string | null
  fail(reason: string): void
  /** Returns a function that registers a sent transaction. */
  open(channelId: ChannelId, last: L2BlockRef, transactionCount: number): (receipt: Promise<L1Receipt>) => void
  /** Registers a transaction of an earlier run. */
  watch(receipt: Promise<L1Receipt>): void
  prune(safeNumber: number): void
  /** A channel completed before this L1 block whose blocks are not safe. */
  findLost(currentL1: number, safeNumber: number): Submission | null
  /** Pending transactions still count. */
  forget(): void
}

interface Entry extends Submission {
  unsettled: number
  completedAt: number | null
}

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
