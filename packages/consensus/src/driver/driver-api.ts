/** The driver as the rest of the consensus client sees it: inputs go in, one step at a time comes out. */
import type { L1BlockRef, L2BlockRef, PayloadEnvelope, SyncStatus } from '@keelson/primitives'

export type DriverInput =
  | { readonly kind: 'l1-head' | 'l1-safe' | 'l1-finalized'; readonly block: L1BlockRef }
  /** L1 blocks above `lastCommon` were replaced, whatever height L1 has now. */
  | { readonly kind: 'l1-reorg'; readonly lastCommon: number; readonly head: L1BlockRef }
  | { readonly kind: 'unsafe-payload'; readonly envelope: PayloadEnvelope; readonly from: string }
  | { readonly kind: 'reset'; readonly reason: string }

export interface DriverHeads {
  readonly unsafe: L2BlockRef
  /** Derived, but its span batch is not concluded yet; at or above `safe`. */
  readonly pendingSafe: L2BlockRef
  readonly safe: L2BlockRef
  readonly finalized: L2BlockRef
}

export interface Driver {
  /** Queues one input; 'full' means it was dropped (an L1 input replaces its predecessor and is never dropped). */
  submit(input: DriverInput): 'queued' | 'full'
  /** Does one unit of work; false when there was nothing to do. Throws only errors of severity 'critical'. */
  step(): Promise<boolean>
  /** Null until the first reset has found where to start. */
  readonly heads: DriverHeads | null
  /** Null until heads and L1 head are known. */
  status(): SyncStatus | null
  /** Resolves when there may be work: an input came, reading L1 in the background ended, or `wake` was called. */
  waitForWork(): Promise<void>
  wake(): void
  /** Something is being read from L1 in the background; `waitForWork` resolves when it is here. */
  readonly reading: boolean
  /** All of L1 has been read at least once since the start. */
  readonly caughtUpOnce: boolean
  /** Earliest time at which `step` has work without any input; null when none is due. */
  nextDueMs(): number | null
  readonly degraded: readonly DegradedState[]
  /** As seen lately; null before two heads of L1 were seen. */
  readonly l1BlockTimeSec: number | null
}

/** One thing that is not as it should be, in words for an operator. */
export interface DegradedState {
  readonly what: string
  readonly sinceMs: number
  readonly why: string
  readonly remedy: string
}
