/**
 * Runs the derivation pipeline beside the driver: reading L1 goes on in the background, one pipeline
 * step at a time, and only its results are applied inside the driver's step.
 */
import type { DerivedAttributes, StepResult } from '@keelson/derivation'
import type { L1BlockRef, Logger, SystemConfig } from '@keelson/primitives'
import { describeBlock } from '../../blocks/describe-block.ts'
import type { DriverDependencies } from '../driver-dependencies.ts'
import { applyDerived } from './derived-block.ts'

export type Advance =
  | 'nothing-to-do'
  /** A pipeline step is under way; `onSettled` is called when it ends. */
  | 'reading'
  | 'moved'
  /** A block became safe or pending safe. */
  | 'block'
  /** All of L1 is read, or all before a fork that this release does not implement. */
  | 'caught-up'

export interface DerivationLoop {
  /** Applies the result of the pipeline's last step, or begins the next one. Throws what the pipeline or the engine threw. */
  advance(): Promise<Advance>
  /** Waits for a step under way and forgets its result. */
  settle(): Promise<void>
  reset(l1Origin: L1BlockRef, systemConfig: SystemConfig): void
  /** There may be more of L1 to read. */
  l1Moved(): void
  readonly reading: boolean
  /** A result waits to be applied. */
  readonly ready: boolean
  /** The L1 block whose data is being read; null before the first reset. */
  readonly currentL1: L1BlockRef | null
  /** All of L1 has been read at least once since the start. */
  readonly caughtUpOnce: boolean
}

type Settled = { readonly result: StepResult } | { readonly error: unknown }

export function createDerivationLoop(deps: DriverDependencies & { readonly log: Logger }, onSettled: () => void): DerivationLoop {
  const { pipeline, engine, forkStop, safeHeads, metrics, log } = deps
  let underWay: Promise<void> | null = null
  let settled: Settled | null = null
  // the pipeline gives attributes once: they are held until the engine has taken or refused them
  let held: DerivedAttributes | null = null
  let started = false
  let idle = false
  let caughtUpOnce = false

  function begin(): void {
    const { heads } = engine
    if (heads === null) return
    const done = (outcome: Settled) => {
      settled = outcome
      underWay = null
      onSettled()
    }
    underWay = pipeline.step(heads.pendingSafe).then(
      (result) => done({ result }),
      (error: unknown) => done({ error }),
    )
  }

  async function apply(result: StepResult): Promise<Advance> {
    switch (result.kind) {
      case 'again':
        return 'moved'
      case 'advanced-origin':
        metrics.derivationOrigin(result.l1Origin)
        return 'moved'
      case 'awaiting-l1':
        idle = true
        caughtUpOnce = true
        return 'caught-up'
      case 'attributes':
        held = result.derived
        return applyHeld(result.derived)
    }
  }

  async function applyHeld(derived: DerivedAttributes): Promise<Advance> {
    const before = engine.heads
    const outcome = await applyDerived(deps, derived)
    held = null
    metrics.derivedBlock(outcome.kind)
    if (outcome.kind === 'dropped') {
      // asked again for the same parent, the pipeline goes on with the next batch
      log.warn('a batch does not execute and was dropped', { after: describeBlock(derived.parent), reason: outcome.reason })
      engine.dropPendingSafe()
    }
    if (outcome.kind === 'built-deposits-only') {
      log.warn('a batch does not execute; a block of deposits stands in its place', {
        block: describeBlock(outcome.block),
        reason: outcome.reason,
      })
      pipeline.flushChannel()
    }
    const { heads } = engine
    if (heads === null) return 'moved'
    metrics.heads(heads)
    if (heads.safe.hash !== before?.safe.hash) await safeHeads.record({ l1: derived.derivedFrom, l2: heads.safe })
    return 'block'
  }

  return {
    async advance() {
      if (underWay !== null) return 'reading'
      if (held !== null) return applyHeld(held)
      if (settled !== null) {
        const outcome = settled
        settled = null
        if ('error' in outcome) throw outcome.error
        return apply(outcome.result)
      }
      if (!started || idle) return 'nothing-to-do'
      const { heads } = engine
      if (heads !== null && forkStop.endsDerivation(heads.pendingSafe, pipeline.l1Origin)) {
        idle = true
        return 'caught-up'
      }
      begin()
      return 'reading'
    },
    async settle() {
      await underWay
      settled = null
      held = null
    },
    reset(l1Origin, systemConfig) {
      pipeline.reset({ l1Origin, systemConfig })
      started = true
      idle = false
    },
    l1Moved() {
      idle = false
    },
    get reading() {
      return underWay !== null
    },
    get ready() {
      return settled !== null || held !== null
    },
    get currentL1() {
      return started ? pipeline.l1Origin : null
    },
    get caughtUpOnce() {
      return caughtUpOnce
    },
  }
}
