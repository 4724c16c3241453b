/** A reset: finds where the chain stands, tells the execution client, and begins derivation there. */
import type { Logger } from '@keelson/primitives'
import { describeBlock } from '../../blocks/describe-block.ts'
import type { L2Refs } from '../../blocks/l2-refs.ts'
import type { L1View } from '../../l1/l1-view.ts'
import type { DriverHeads } from '../driver-api.ts'
import type { DriverDependencies } from '../driver-dependencies.ts'
import type { EngineSync } from '../engine/engine-sync.ts'
import type { DerivationLoop } from '../safe/derivation-loop.ts'
import type { Finality } from '../safe/finality.ts'
import type { UnsafeFollower } from '../unsafe/unsafe-follower.ts'
import { findSyncStart, type SyncStart } from './find-sync-start.ts'
import type { ResetReason } from './reset-reason.ts'
import type { Resets } from './reset-schedule.ts'

export interface ResetParts {
  readonly l1: L1View
  readonly derivation: DerivationLoop
  readonly unsafeBlocks: UnsafeFollower
  readonly engineSync: EngineSync
  readonly finality: Finality
  readonly resets: Resets
  readonly allowFinalizedReorg: boolean
  readonly log: Logger
}

const SAFE_FROM: Readonly<Record<SyncStart['safeFrom'], string>> = {
  record: 'the record of safe heads has it, the execution client has that block now, and L1 still has the block it came from',
  engine: 'the execution client has it, older than a sequencing window, or final',
}

/** Throws what the search for the start and the engine throw; then the reset stays due. */
export async function resetDriver(reason: ResetReason, deps: DriverDependencies, parts: ResetParts): Promise<void> {
  const { engine, metrics, trace } = deps
  const { l1, derivation, unsafeBlocks, finality, resets, log } = parts
  trace.note('reset begins', { kind: reason.kind, why: reason.message })
  await derivation.settle()
  await l1.resetBegins()
  // the search begins at the engine's own head: what was derived and not told yet would be given up for no reason
  if (reason.kind === 'operator' && engine.unflushed > 0) await engine.flush()
  const { replacedAfter } = l1
  const start = await findSyncStart({ ...deps, l2: deps.refs, allowFinalizedReorg: parts.allowFinalizedReorg, replacedAfter })
  const before = engine.heads
  const heads = await keepFinalized(start.heads, before, deps.refs)
  await engine.adopt(heads, reason)
  await parts.engineSync.onReset(heads)
  derivation.reset(start.l1Origin, start.systemConfig)
  deps.sequencer?.onReset(start.continues)
  unsafeBlocks.prune(heads.safe.number)
  resets.done()
  l1.resetDone()
  finality.reset()
  metrics.reset(reason.kind)
  metrics.heads(heads)
  resets.noteSafe(heads.safe.number)
  const now = {
    unsafe: describeBlock(heads.unsafe),
    safe: describeBlock(heads.safe),
    finalized: describeBlock(heads.finalized),
    readingL1From: describeBlock(start.l1Origin),
  }
  trace.note('reset done', { ...now, l1Origin: start.l1Origin.hash })
  log.info(before === null ? 'derivation starts' : 'derivation reset', {
    reason: reason.message,
    kind: reason.kind,
    ...now,
    ...(before === null ? {} : { unsafeBefore: describeBlock(before.unsafe), safeBefore: describeBlock(before.safe) }),
    ...(before !== null && heads.safe.number > before.safe.number ? { safeIsHigherBecause: SAFE_FROM[start.safeFrom] } : {}),
  })
  if (before === null) deps.onStart(start.l1Origin)
}

/** What this node knows to be final stays so when the execution client has lost only the label, as after a crash. */
async function keepFinalized(found: DriverHeads, before: DriverHeads | null, refs: Pick<L2Refs, 'find'>): Promise<DriverHeads> {
  const known = before?.finalized
  if (known === undefined || known.number <= found.finalized.number || known.number > found.safe.number) return found
  return (await refs.find(known.number))?.hash === known.hash ? { ...found, finalized: known } : found
}
