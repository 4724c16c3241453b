import type { L1Reader } from '@keelson/derivation'
import type { BlockId, L2BlockRef } from '@keelson/primitives'
import type { L2Refs } from '../../blocks/l2-refs.ts'
import type { SafeHeadEntry, SafeHeadStore } from '../../store/safe-head-store.ts'
import type { SyncWalk } from '../../store/sync-walk.ts'

export interface RecordedSafeHeadDependencies {
  readonly l1: Pick<L1Reader, 'blockRef'>
  readonly l2: L2Refs
  readonly safeHeads: SafeHeadStore
  readonly walk: SyncWalk
  /** L1 replaced blocks above this number. */
  readonly replacedAfter: number | null
}

export type OriginState = 'canonical' | 'ahead' | 'reorged'

export async function originState({ l1, walk, replacedAfter }: RecordedSafeHeadDependencies, origin: BlockId): Promise<OriginState> {
  const found = walk.find(origin)
  if (found !== null) return found
  const block = await l1.blockRef(origin.number)
  if (block === null && (replacedAfter === null || origin.number <= replacedAfter)) return 'ahead'
  const state = block?.hash === origin.hash ? 'canonical' : 'reorged'
  await walk.note(origin, state)
  return state
}

/**
 * Returns the safe head recorded at the newest L1 block that is still canonical. `reorged`: a reorg replaced the L1 blocks of
 * later records, which were deleted. `newest`: there is no later record.
 */
export async function recordedSafeHead(
  deps: RecordedSafeHeadDependencies,
  unsafe: L2BlockRef,
): Promise<{ block: L2BlockRef | null; reorged: boolean; newest: boolean }> {
  const { l2, safeHeads } = deps
  const top = await safeHeads.latest()
  const { newest, reorged } = await newestCanonical(deps)
  for (let entry = newest; entry !== null; entry = await safeHeads.atOrBefore(entry.l1.number - 1)) {
    if (entry.l2.number > unsafe.number) continue
    const block = await l2.find(entry.l2.number)
    if (block?.hash !== entry.l2.hash) continue
    if (reorged) await safeHeads.truncateAfter(entry.l1.number)
    return { block, reorged, newest: entry.l1.hash === top?.l1.hash }
  }
  if (reorged) await safeHeads.truncateAfter(-1)
  return { block: null, reorged, newest: top === null }
}

async function newestCanonical(deps: RecordedSafeHeadDependencies): Promise<{ newest: SafeHeadEntry | null; reorged: boolean }> {
  const { safeHeads } = deps
  const top = await safeHeads.latest()
  if (top === null) return { newest: null, reorged: false }
  let after = await originState(deps, top.l1)
  if (after === 'canonical') return { newest: top, reorged: false }
  let newest: SafeHeadEntry | null = null
  let low = -1
  let high = top.l1.number
  while (high - low > 1) {
    const middle = (low + high) >> 1
    const entry = await safeHeads.atOrBefore(middle)
    const state = entry === null || entry.l1.number <= low ? null : await originState(deps, entry.l1)
    if (entry === null || state === null) low = middle
    else if (state === 'canonical') {
      newest = entry
      low = middle
    } else {
      after = state
      high = entry.l1.number
    }
  }
  return { newest, reorged: after === 'reorged' }
}
