import type { Logger } from '@keelson/primitives'
import { describeBlock, type L2Heads } from '../../blocks/l2-heads.ts'
import type { L2Refs } from '../../blocks/l2-refs.ts'
import type { L1View } from '../../l1/l1-view.ts'
import type { ConsensusMetrics } from '../../metrics.ts'
import type { DriverTrace } from '../engine/driver-trace.ts'
import type { EngineControl } from '../engine/engine-control.ts'
import type { EngineSync } from '../engine/engine-sync.ts'
import type { SafeChain } from '../safe/safe-chain.ts'
import type { UnsafeFollower } from '../unsafe/unsafe-follower.ts'
import { findSyncStart, type SyncStart, type SyncStartDependencies } from './find-sync-start.ts'
import type { ResetReason } from './reset-reason.ts'
import type { ResetSchedule } from './reset-schedule.ts'

export interface ResetDependencies {
  readonly search: Omit<SyncStartDependencies, 'replacedAfter'>
  readonly view: Pick<L1View, 'resetBegins' | 'resetDone' | 'replacedAfter'>
  readonly engine: Pick<EngineControl, 'heads' | 'adopt' | 'flush' | 'unflushed'>
  readonly engineSync: Pick<EngineSync, 'onReset'>
  readonly safeChain: Pick<SafeChain, 'settle' | 'reset'>
  readonly unsafeBlocks: Pick<UnsafeFollower, 'prune'>
  readonly sequencer: { onReset(continues: boolean): void } | null
  readonly resets: Pick<ResetSchedule, 'done' | 'noteSafe'>
  readonly onStart: (start: SyncStart['l1Origin']) => void
  readonly metrics: Pick<ConsensusMetrics, 'reset'>
  readonly trace: DriverTrace
  readonly log: Logger
}

const SAFE_FROM: Readonly<Record<SyncStart['safeFrom'], string>> = {
  record: 'it is in the record of safe heads, the execution client has that block now, and L1 still has the block it came from',
  engine: 'the execution client has it, older than a sequencing window, or final',
}

/** If this throws, the reset stays due. */
export async function resetDriver(reason: ResetReason, deps: ResetDependencies): Promise<void> {
  const { engine, trace, view } = deps
  trace.note('reset begins', { kind: reason.kind, why: reason.message })
  await deps.safeChain.settle()
  await view.resetBegins()
  // the search starts at the engine's head, so unflushed blocks would be lost
  if (reason.kind === 'operator' && engine.unflushed > 0) await engine.flush()
  const start = await findSyncStart({ ...deps.search, replacedAfter: view.replacedAfter })
  const before = engine.heads
  const heads = await keepFinalized(start.heads, before, deps.search.l2)
  await engine.adopt(heads, reason)
  await deps.engineSync.onReset(heads)
  deps.resets.done()
  deps.safeChain.reset(start.l1Origin, start.systemConfig)
  deps.sequencer?.onReset(start.continues)
  deps.unsafeBlocks.prune(heads.safe.number)
  view.resetDone()
  deps.metrics.reset(reason.kind)
  deps.resets.noteSafe(heads.safe.number)
  report(reason, start, { before, heads }, deps)
  if (before === null) deps.onStart(start.l1Origin)
}

function report(
  reason: ResetReason,
  { l1Origin, safeFrom }: SyncStart,
  { before, heads }: { readonly before: L2Heads | null; readonly heads: L2Heads },
  { trace, log }: Pick<ResetDependencies, 'trace' | 'log'>,
): void {
  const now = {
    unsafe: describeBlock(heads.unsafe),
    safe: describeBlock(heads.safe),
    finalized: describeBlock(heads.finalized),
    readingL1From: describeBlock(l1Origin),
  }
  trace.note('reset done', { ...now, l1Origin: l1Origin.hash })
  const was = before === null ? {} : { unsafeBefore: describeBlock(before.unsafe), safeBefore: describeBlock(before.safe) }
  const isHigher = before !== null && heads.safe.number > before.safe.number
  log.info(before === null ? 'derivation starts' : 'derivation reset', {
    reason: reason.message,
    kind: reason.kind,
    ...now,
    ...was,
    ...(isHigher ? { safeIsHigherBecause: SAFE_FROM[safeFrom] } : {}),
  })
}

/** The execution client may have lost only the label, as after a crash. */
async function keepFinalized(found: L2Heads, before: L2Heads | null, refs: Pick<L2Refs, 'find'>): Promise<L2Heads> {
  const known = before?.finalized
  if (known === undefined || known.number <= found.finalized.number || known.number > found.safe.number) return found
  return (await refs.find(known.number))?.hash === known.hash ? { ...found, finalized: known } : found
}
