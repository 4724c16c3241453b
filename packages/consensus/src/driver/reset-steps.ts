/** A reset: finds where the chain stands, tells the execution client, and begins derivation there. */
import type { Logger } from '@keelson/primitives'
import type { DerivationLoop } from './derivation-loop.ts'
import type { DriverDependencies } from './driver-dependencies.ts'
import type { EngineSync } from './engine-sync.ts'
import type { Finality } from './finality.ts'
import { findSyncStart } from './find-sync-start.ts'
import { describeBlock } from './heads.ts'
import type { L1View } from './l1-view.ts'
import type { ResetReason } from './reset-reason.ts'
import type { Resets } from './resets.ts'
import type { UnsafeFollower } from './unsafe-follower.ts'

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

/** Throws what the search for the start and the engine throw; then the reset stays due. */
export async function resetDriver(reason: ResetReason, deps: DriverDependencies, parts: ResetParts): Promise<void> {
  const { engine, metrics, trace } = deps
  const { l1, derivation, unsafeBlocks, finality, resets, log } = parts
  trace.note('reset begins', { kind: reason.kind, why: reason.message })
  await derivation.settle()
  await l1.resetBegins()
  const { replacedAfter } = l1
  const start = await findSyncStart({ ...deps, l2: deps.refs, allowFinalizedReorg: parts.allowFinalizedReorg, replacedAfter })
  const before = engine.heads
  await engine.adopt(start.heads, reason)
  await parts.engineSync.onReset(start.heads)
  derivation.reset(start.l1Origin, start.systemConfig)
  deps.sequencer?.onReset(start.continues)
  unsafeBlocks.prune(start.heads.safe.number)
  resets.done()
  l1.resetDone()
  finality.reset()
  metrics.reset(reason.kind)
  metrics.heads(start.heads)
  resets.noteSafe(start.heads.safe.number)
  const now = {
    unsafe: describeBlock(start.heads.unsafe),
    safe: describeBlock(start.heads.safe),
    finalized: describeBlock(start.heads.finalized),
    readingL1From: describeBlock(start.l1Origin),
  }
  trace.note('reset done', { ...now, l1Origin: start.l1Origin.hash })
  log.info(before === null ? 'derivation starts' : 'derivation reset', {
    reason: reason.message,
    kind: reason.kind,
    ...now,
    ...(before === null ? {} : { unsafeBefore: describeBlock(before.unsafe), safeBefore: describeBlock(before.safe) }),
  })
  if (before === null) deps.onStart(start.l1Origin)
}
