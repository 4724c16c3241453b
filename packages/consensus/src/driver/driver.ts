import { type Clock, type SyncStatus, ZERO_L1_REF } from '@keelson/primitives'
import type { L2Heads } from '../blocks/l2-heads.ts'
import type { DegradedState, DegradedStates } from '../degraded-states.ts'
import type { ForkStop } from '../fork-stop.ts'
import type { L1View } from '../l1/l1-view.ts'
import type { DriverInput, DriverInputs } from './driver-inputs.ts'
import { type DriverTrace, traceInput } from './engine/driver-trace.ts'
import type { EngineControl } from './engine/engine-control.ts'
import type { EngineSync } from './engine/engine-sync.ts'
import type { Failures } from './failures.ts'
import { RESET_BY_OPERATOR, type ResetReason } from './reset/reset-reason.ts'
import type { ResetSchedule } from './reset/reset-schedule.ts'
import type { SafeChain } from './safe/safe-chain.ts'
import type { HeardHead } from './unsafe/heard-head.ts'
import type { UnsafeFollower } from './unsafe/unsafe-follower.ts'
import type { WhyBehind } from './why-behind.ts'

export interface SequencerPart {
  nextDueMs(): number | null
  step(): Promise<boolean>
  onL1Replaced(): void
  /** `continues` means no known safe block was lost, so building may continue. */
  onReset(continues: boolean): void
}

export interface DriverParts {
  readonly inputs: DriverInputs
  readonly view: L1View
  readonly engine: Pick<EngineControl, 'heads' | 'told'>
  readonly engineSync: EngineSync
  readonly sequencer: SequencerPart | null
  readonly unsafeBlocks: UnsafeFollower
  readonly heard: HeardHead
  readonly safeChain: SafeChain
  readonly resets: ResetSchedule
  readonly reset: (reason: ResetReason) => Promise<void>
  readonly failures: Failures
  readonly forkStop: ForkStop
  readonly whyBehind: WhyBehind
  readonly degraded: Pick<DegradedStates, 'list'>
  readonly trace: DriverTrace
  /** Returns the error to throw: for an invariant violation, one that names its report; otherwise `error` itself. */
  readonly reportViolation: (error: unknown) => Promise<unknown>
  readonly clock: Pick<Clock, 'nowMs'>
}

/** A sequencer later than this alternates with derivation. */
const CATCHING_UP_MS = 30_000
/** So does one that has had something due for this long: on an overloaded machine building can take all of the block time. */
const ALWAYS_DUE_MS = 5_000

/** Changes the L2 chain, one unit of work per `step`. specs: protocol/rollup-node.md#driver */
export class Driver {
  readonly #parts: DriverParts
  #sequencedLast = false
  /** Since when the sequencer has always had something due; null when it has nothing due. */
  #dueSinceMs: number | null = null

  constructor(parts: DriverParts) {
    this.#parts = parts
  }

  get heads(): L2Heads | null {
    return this.#parts.engine.heads
  }

  get degraded(): readonly DegradedState[] {
    return this.#parts.degraded.list()
  }

  /** The highest unsafe block that was delivered. */
  get heardHead(): number | null {
    return this.#parts.heard.number
  }

  get reading(): boolean {
    const { unsafeBlocks, safeChain } = this.#parts
    return unsafeBlocks.fetching || safeChain.reading || this.#canDerive()
  }

  submit(input: DriverInput): 'queued' | 'full' {
    return this.#parts.inputs.push(input)
  }

  status(): SyncStatus | null {
    const { engine, view, safeChain, unsafeBlocks } = this.#parts
    const { told } = engine
    if (told === null || view.head === null) return null
    return {
      currentL1: safeChain.toldAtL1 ?? view.head,
      headL1: view.head,
      safeL1: view.safe ?? ZERO_L1_REF,
      finalizedL1: view.finalized ?? ZERO_L1_REF,
      unsafeL2: told.unsafe,
      safeL2: told.safe,
      finalizedL2: told.finalized,
      pendingSafeL2: told.pendingSafe,
      queuedUnsafeL2: unsafeBlocks.next,
    }
  }

  /** Returns false when there was no work. Throws only errors of severity 'critical'. */
  async step(): Promise<boolean> {
    const { engine, failures, forkStop, safeChain, view, whyBehind } = this.#parts
    forkStop.look(engine.heads, safeChain.currentL1)
    whyBehind.look(forkStop.reached ? null : engine.heads, view.head, view.blockTimeSec)
    if (this.#isWaiting()) {
      this.#takeInputs()
      return false
    }
    try {
      const worked = await this.#work()
      failures.stepSucceeded()
      return worked
    } catch (error) {
      failures.stepFailed(await this.#parts.reportViolation(error), engine.heads !== null)
      return !this.#isWaiting()
    }
  }

  async waitForWork(): Promise<void> {
    const { inputs, view } = this.#parts
    if (inputs.size > 0 || view.hasChanges || this.#canDerive()) return
    await inputs.wait()
  }

  wake(): void {
    this.#parts.inputs.wake()
  }

  nextDueMs(): number | null {
    const { clock, engineSync, failures, resets, sequencer } = this.#parts
    const { engineRetry, derivationRetry } = failures
    if (engineRetry.waiting) return engineRetry.retryAtMs
    if (resets.due !== null && !resets.waiting) return clock.nowMs()
    if (resets.holdsUpAll) return resets.retryAtMs
    if (engineSync.active) return engineSync.retryAtMs
    const derivationMs = derivationRetry.waiting ? derivationRetry.retryAtMs : null
    const times = [sequencer?.nextDueMs() ?? null, derivationMs, resets.due === null ? null : resets.retryAtMs]
    const due = times.filter((ms) => ms !== null)
    return due.length === 0 ? null : Math.min(...due)
  }

  async #work(): Promise<boolean> {
    this.#takeInputs()
    const { engineSync, failures, resets, safeChain, unsafeBlocks } = this.#parts
    if (resets.due !== null && !resets.waiting) {
      await this.#parts.reset(resets.due)
      return true
    }
    if (engineSync.active) return engineSync.step()
    const sequenced = await this.#sequence()
    if (sequenced !== null) return sequenced
    if (await unsafeBlocks.insertNext()) return true
    return failures.derivationRetry.waiting || resets.due !== null ? false : safeChain.step()
  }

  async #sequence(): Promise<boolean | null> {
    const { clock, failures, resets, safeChain, sequencer } = this.#parts
    const dueMs = sequencer?.nextDueMs() ?? null
    const nowMs = clock.nowMs()
    if (sequencer === null || dueMs === null || dueMs > nowMs) {
      this.#dueSinceMs = null
      return null
    }
    this.#dueSinceMs ??= nowMs
    // Without alternation, derivation would never run.
    const alternates = nowMs - dueMs > CATCHING_UP_MS || nowMs - this.#dueSinceMs > ALWAYS_DUE_MS
    if (alternates && this.#sequencedLast && !failures.derivationRetry.waiting) {
      this.#sequencedLast = false
      if (await safeChain.step()) return true
      if (resets.due !== null) return false
    }
    this.#sequencedLast = true
    return (await sequencer.step()) ? true : null
  }

  #takeInputs(): void {
    const { heard, inputs, resets, safeChain, trace, unsafeBlocks, view, whyBehind } = this.#parts
    const { changes, headReplaced } = view.drainChanges()
    for (const change of changes) {
      traceInput(trace, change)
      safeChain.l1Changed(change)
    }
    if (headReplaced) this.#parts.sequencer?.onL1Replaced()
    for (const input of inputs.drain()) {
      traceInput(trace, input)
      if (input.kind === 'reset') resets.order({ ...RESET_BY_OPERATOR, message: input.reason })
      else {
        unsafeBlocks.add(input.envelope)
        heard.note(input.envelope.payload.blockNumber)
        whyBehind.heard()
      }
    }
  }

  #isWaiting(): boolean {
    const { failures, resets } = this.#parts
    return failures.engineRetry.waiting || resets.holdsUpAll
  }

  #canDerive(): boolean {
    return this.#parts.safeChain.ready && !this.#isWaiting()
  }
}
