/** The three heads, and what must always hold between them. */
import type { BlockId, L2BlockRef } from '@keelson/primitives'
import { ConsensusError } from '../errors.ts'
import type { DriverHeads } from './driver-api.ts'

export function describeBlock(block: BlockId): string {
  return `${block.number} (${block.hash.slice(0, 10)})`
}

/** Throws ConsensusError `consensus/heads-inconsistent` (critical) unless finalized <= safe <= pending safe <= unsafe. */
export function assertHeads(heads: DriverHeads): void {
  assertNotAbove('finalized', heads.finalized, 'safe', heads.safe)
  assertNotAbove('safe', heads.safe, 'pending safe', heads.pendingSafe)
  assertNotAbove('pending safe', heads.pendingSafe, 'unsafe', heads.unsafe)
}

function assertNotAbove(lowName: string, low: L2BlockRef, highName: string, high: L2BlockRef): void {
  if (low.number < high.number || low.hash === high.hash) return
  throw new ConsensusError(
    'consensus/heads-inconsistent',
    'critical',
    `the ${lowName} head ${describeBlock(low)} must not be above the ${highName} head ${describeBlock(high)}; stop, and report this with the log`,
    { low: low.hash, high: high.hash, lowNumber: low.number, highNumber: high.number },
  )
}
