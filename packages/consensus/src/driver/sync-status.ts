/** The driver's state as op-node's optimism_syncStatus reports it. */
import { type L1BlockRef, type L2BlockRef, type SyncStatus, ZERO_L1_REF } from '@keelson/primitives'
import type { L1View } from '../l1/l1-view.ts'
import type { DriverHeads } from './driver-api.ts'

/** Null until the execution client has been told of heads and L1 has been seen. `told`: others will ask it for these blocks. */
export function syncStatusOf(
  told: DriverHeads | null,
  l1: Pick<L1View, 'head' | 'safe' | 'finalized'>,
  currentL1: L1BlockRef | null,
  queued: L2BlockRef | null,
): SyncStatus | null {
  if (told === null || l1.head === null) return null
  return {
    currentL1: currentL1 ?? l1.head,
    headL1: l1.head,
    safeL1: l1.safe ?? ZERO_L1_REF,
    finalizedL1: l1.finalized ?? ZERO_L1_REF,
    unsafeL2: told.unsafe,
    safeL2: told.safe,
    finalizedL2: told.finalized,
    pendingSafeL2: told.pendingSafe,
    queuedUnsafeL2: queued,
  }
}
