/**
 * When L1 finalizes a block, the last L2 block derived from it or from blocks before is final.
 * specs: protocol/derivation.md#engine-queue (finalized L2 head)
 */
import type { L1Reader } from '@keelson/derivation'
import type { BlockId, L1BlockRef, L2BlockRef } from '@keelson/primitives'
import { describeBlock } from '../../blocks/describe-block.ts'
import type { L2Refs } from '../../blocks/l2-refs.ts'
import { ConsensusError } from '../../errors.ts'
import type { SafeHeadStore } from '../../store/safe-head-store.ts'

export interface FinalizerDependencies {
  readonly l1: L1Reader
  readonly l2: L2Refs
  readonly safeHeads: SafeHeadStore
}

export interface FinalityView {
  readonly finalizedL1: L1BlockRef
  readonly finalized: L2BlockRef
  readonly safe: L2BlockRef
}

export interface FinalBlock {
  readonly block: L2BlockRef
  /** The L1 block whose data led to it. */
  readonly derivedFrom: BlockId
}

/**
 * The block that is final now, null when that is no news. Throws ConsensusError `consensus/l1-reorg` (reset)
 * when the L1 block it was derived from is not canonical.
 */
export async function findFinalized(deps: FinalizerDependencies, view: FinalityView): Promise<FinalBlock | null> {
  const entry = await deps.safeHeads.atOrBefore(view.finalizedL1.number)
  if (entry === null || entry.l2.number <= view.finalized.number || entry.l2.number > view.safe.number) return null
  const l1 = await deps.l1.blockRef(entry.l1.number)
  if (l1?.hash !== entry.l1.hash) {
    throw new ConsensusError(
      'consensus/l1-reorg',
      'reset',
      `L2 block ${describeBlock(entry.l2)} was derived from L1 block ${describeBlock(entry.l1)}, L1 now has ${l1?.hash ?? 'no such block'}`,
      { number: entry.l1.number, hash: entry.l1.hash },
    )
  }
  const block = await deps.l2.find(entry.l2.number)
  return block?.hash === entry.l2.hash ? { block, derivedFrom: entry.l1 } : null
}
