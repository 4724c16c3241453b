import type { L1BlockRef, SystemConfig } from '@keelson/primitives'
import type { L1Change, L1View } from '../../l1/l1-view.ts'
import type { EngineControl } from '../engine/engine-control.ts'
import type { Failures } from '../failures.ts'
import type { ResetSchedule } from '../reset/reset-schedule.ts'
import type { DerivationLoop } from './derivation-loop.ts'
import type { Finality } from './finality.ts'

export interface SafeChainDependencies {
  readonly view: Pick<L1View, 'assertNotReplaced'>
  readonly engine: Pick<EngineControl, 'heads' | 'flush' | 'unflushed'>
  readonly derivation: DerivationLoop
  readonly finality: Finality
  readonly resets: Pick<ResetSchedule, 'due' | 'waiting' | 'noteSafe'>
  readonly failures: Pick<Failures, 'derivationRetry' | 'derivationFailed' | 'derivationMoved'>
}

const MAX_UNFLUSHED = 64

export class SafeChain {
  readonly #deps: SafeChainDependencies
  /** The L1 block up to which the engine's heads were derived. */
  #toldAtL1: L1BlockRef | null = null

  constructor(deps: SafeChainDependencies) {
    this.#deps = deps
  }

  get toldAtL1(): L1BlockRef | null {
    return this.#toldAtL1 ?? this.currentL1
  }

  get currentL1(): L1BlockRef | null {
    return this.#deps.derivation.currentL1
  }

  get reading(): boolean {
    return this.#deps.derivation.reading
  }

  get caughtUpOnce(): boolean {
    return this.#deps.derivation.caughtUpOnce
  }

  get ready(): boolean {
    const { derivation, failures, resets } = this.#deps
    return derivation.ready && !failures.derivationRetry.waiting && resets.due === null
  }

  l1Changed(change: L1Change): void {
    const { derivation, failures, finality } = this.#deps
    if (change.kind === 'l1-head') derivation.l1Moved()
    if (change.kind === 'l1-finalized') finality.check()
    if (change.kind === 'l1-reorg') failures.derivationRetry.succeeded()
  }

  /** A failure of L1 or of the beacon API delays only derivation; others are thrown. */
  async step(): Promise<boolean> {
    const { engine, failures, resets } = this.#deps
    try {
      return await this.#derive()
    } catch (error) {
      failures.derivationFailed(error)
      // send heads derived before the failure, which may last
      if (engine.unflushed > 0 && resets.due === null) await engine.flush()
      return resets.due !== null && !resets.waiting
    }
  }

  async settle(): Promise<void> {
    await this.#deps.derivation.settle()
  }

  reset(l1Origin: L1BlockRef, systemConfig: SystemConfig): void {
    const { derivation, finality } = this.#deps
    derivation.reset(l1Origin, systemConfig)
    finality.reset()
    this.#noteTold()
  }

  async #derive(): Promise<boolean> {
    const { derivation, engine, finality, resets, view } = this.#deps
    await view.assertNotReplaced([derivation.currentL1, engine.heads?.unsafe.l1Origin])
    if (finality.pending && (await finality.tryFinalize())) return true
    const outcome = await derivation.advance()
    if (outcome === 'reading' || outcome === 'nothing-to-do') return false
    this.#deps.failures.derivationMoved()
    if (outcome === 'block' && engine.heads !== null) resets.noteSafe(engine.heads.safe.number)
    if (outcome === 'caught-up' || engine.unflushed >= MAX_UNFLUSHED) await engine.flush()
    this.#noteTold()
    if (outcome === 'caught-up') finality.check()
    else if (outcome === 'block') finality.derivedAt(derivation.currentL1)
    return true
  }

  #noteTold(): void {
    if (this.#deps.engine.unflushed === 0) this.#toldAtL1 = this.#deps.derivation.currentL1
  }
}
