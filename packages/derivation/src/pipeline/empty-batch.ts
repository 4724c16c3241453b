/** protocol/derivation.md#batch-queue */
import type { RollupConfig } from '@keelson/chainspec'
import type { L1BlockRef, L2BlockRef } from '@keelson/primitives'
import type { SingularBatch } from '../codec/batch/singular-batch.ts'
import { DerivationError } from '../errors.ts'
import type { OriginWindow } from './origin-window.ts'

/**
 * Null while the sequencing window is open, or when `window` moves to the next epoch. Every epoch has a block, so an epoch's
 * first block is made even if the next L1 origin is old enough. `outOfData`: the current L1 block is fully read.
 */
export function nextEmptyBatch(config: RollupConfig, window: OriginWindow, parent: L2BlockRef, outOfData: boolean): SingularBatch | null {
  const [epoch, nextEpoch] = window.blocks
  if (epoch === undefined || nextEpoch === undefined) return null
  const expiresAt = epoch.number + config.sequencingWindowL1Blocks
  const expired = expiresAt < window.origin.number || (expiresAt === window.origin.number && outOfData)
  if (!expired) return null
  const timestampSec = parent.timestampSec + config.blockTimeSec
  const firstOfEpoch = epoch.number === parent.l1Origin.number + 1
  if (timestampSec >= nextEpoch.timestampSec && !firstOfEpoch) {
    window.dropFirst()
    return null
  }
  return { parentHash: parent.hash, epoch: { hash: epoch.hash, number: epoch.number }, timestampSec, transactions: [] }
}

/** The window must begin at the safe head's epoch, or at the next one once that epoch is complete. */
export function assertWindowFits(window: OriginWindow, parent: L2BlockRef): void {
  const epoch: L1BlockRef | undefined = window.blocks[0]
  if (epoch !== undefined && (parent.l1Origin.hash === epoch.hash || parent.l1Origin.number === epoch.number - 1)) return
  throw new DerivationError(
    'derivation/l2-parent-mismatch',
    'reset',
    `L2 block ${parent.number} has L1 origin ${parent.l1Origin.number} (${parent.l1Origin.hash}), but derivation is at epoch ${epoch === undefined ? 'none' : `${epoch.number} (${epoch.hash})`}; rewinding`,
    { parent: parent.hash, l1Origin: parent.l1Origin.hash },
  )
}
