import type { DerivationPipeline, DerivedAttributes, StepResult } from '@keelson/derivation'
import type { Hash, L1BlockRef, Logger, SystemConfig } from '@keelson/primitives'
import { describeBlock } from '../../blocks/l2-heads.ts'
import type { ForkStop } from '../../fork-stop.ts'
import type { ConsensusMetrics } from '../../metrics.ts'
import type { NewerRules } from '../../newer-rules/newer-rules.ts'
import type { SafeHeadStore } from '../../store/safe-head-store.ts'
import type { EngineControl } from '../engine/engine-control.ts'
import type { DerivedOutcome } from './derived-block.ts'

export type Advance =
  | 'nothing-to-do'
  | 'reading'
  | 'moved'
  /** A block became safe or pending safe. */
  | 'block'
  /** Derivation reached the L1 head or an unsupported fork. */
  | 'caught-up'

export interface DerivationLoopDependencies {
  readonly pipeline: DerivationPipeline
  readonly engine: Pick<EngineControl, 'heads' | 'dropPendingSafe'>
  readonly applyDerived: (derived: DerivedAttributes) => Promise<DerivedOutcome>
  readonly safeHeads: Pick<SafeHeadStore, 'record'>
  readonly forkStop: Pick<ForkStop, 'endsDerivation'>
  readonly newerRules: Pick<NewerRules, 'endsReading' | 'rewound'>
  readonly metrics: Pick<ConsensusMetrics, 'derivedBlock'>
  /** Derivation goes on with this L1 block. */
  readonly onOrigin: (l1Origin: L1BlockRef) => void
  readonly log: Logger
  readonly onSettled: () => void
}

type Settled = { readonly result: StepResult } | { readonly error: unknown }

/** Runs pipeline steps in the background, so that a slow L1 delays neither sequencing nor gossip. */
export class DerivationLoop {
  readonly #deps: DerivationLoopDependencies
  #running: Promise<void> | null = null
  #settled: Settled | null = null
  /** Kept because the pipeline returns attributes once. */
  #held: DerivedAttributes | null = null
  /** The unsafe head when newer rules stopped the held attributes: they are tried again when it moves. */
  #stoppedUnder: Hash | null = null
  #started = false
  #idle = false
  #caughtUpOnce = false

  constructor(deps: DerivationLoopDependencies) {
    this.#deps = deps
  }

  get reading(): boolean {
    return this.#running !== null
  }

  get ready(): boolean {
    return this.#settled !== null || (this.#held !== null && !this.#isStopped())
  }

  get currentL1(): L1BlockRef | null {
    return this.#started ? this.#deps.pipeline.l1Origin : null
  }

  get caughtUpOnce(): boolean {
    return this.#caughtUpOnce
  }

  async advance(): Promise<Advance> {
    if (this.#running !== null) return 'reading'
    if (this.#isStopped()) return 'nothing-to-do'
    if (this.#held !== null) return this.#apply(this.#held)
    if (this.#settled !== null) {
      const outcome = this.#settled
      this.#settled = null
      if ('error' in outcome) throw outcome.error
      return this.#take(outcome.result)
    }
    if (!this.#started || this.#idle) return 'nothing-to-do'
    const { engine, forkStop, newerRules, pipeline } = this.#deps
    const atFork = engine.heads !== null && forkStop.endsDerivation(engine.heads.pendingSafe, pipeline.l1Origin)
    if (atFork || newerRules.endsReading) {
      this.#idle = true
      return 'caught-up'
    }
    this.#begin()
    return 'reading'
  }

  async settle(): Promise<void> {
    await this.#running
    this.#settled = null
    this.#held = null
    this.#stoppedUnder = null
  }

  reset(l1Origin: L1BlockRef, systemConfig: SystemConfig): void {
    this.#deps.pipeline.reset({ l1Origin, systemConfig })
    this.#deps.newerRules.rewound(l1Origin)
    this.#started = true
    this.#idle = false
  }

  l1Moved(): void {
    this.#idle = false
  }

  #isStopped(): boolean {
    return this.#stoppedUnder !== null && this.#stoppedUnder === this.#deps.engine.heads?.unsafe.hash
  }

  #begin(): void {
    const { engine, pipeline, onSettled } = this.#deps
    if (engine.heads === null) return
    const done = (outcome: Settled) => {
      this.#settled = outcome
      this.#running = null
      onSettled()
    }
    this.#running = pipeline.step(engine.heads.pendingSafe).then(
      (result) => done({ result }),
      (error: unknown) => done({ error }),
    )
  }

  async #take(result: StepResult): Promise<Advance> {
    switch (result.kind) {
      case 'again':
        return 'moved'
      case 'advanced-origin':
        this.#deps.onOrigin(result.l1Origin)
        return 'moved'
      case 'awaiting-l1':
        this.#idle = true
        this.#caughtUpOnce = true
        return 'caught-up'
      case 'attributes':
        this.#held = result.derived
        return this.#apply(result.derived)
    }
  }

  async #apply(derived: DerivedAttributes): Promise<Advance> {
    const { engine, pipeline, safeHeads, metrics, log } = this.#deps
    const safeBefore = engine.heads?.safe
    const outcome = await this.#deps.applyDerived(derived)
    this.#stoppedUnder = outcome.kind === 'stopped' ? (engine.heads?.unsafe.hash ?? null) : null
    if (outcome.kind === 'stopped') return 'caught-up'
    this.#held = null
    metrics.derivedBlock(outcome.kind)
    if (outcome.kind === 'dropped') {
      log.warn('dropped a batch that does not execute', { after: describeBlock(derived.parent), reason: outcome.reason })
      engine.dropPendingSafe()
    }
    if (outcome.kind === 'built-deposits-only') {
      log.warn('replaced a batch that does not execute by a deposits-only block', {
        block: describeBlock(outcome.block),
        reason: outcome.reason,
      })
      pipeline.flushChannel()
    }
    const { heads } = engine
    if (heads === null) return 'moved'
    if (heads.safe.hash !== safeBefore?.hash) await safeHeads.record({ l1: derived.derivedFrom, l2: heads.safe })
    return 'block'
  }
}
