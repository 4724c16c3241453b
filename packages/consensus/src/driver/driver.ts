/**
 * The driver: everything that changes the L2 chain of this node happens in its `step`, one thing after
 * another. Reading L1 goes on beside it, so that a slow L1 does not hold up sequencing or gossip.
 * Walk W1 of the architecture; specs: protocol/rollup-node.md#driver
 */
import type { L1BlockRef, Logger } from '@keelson/primitives'
import { createL1View } from '../l1/l1-view.ts'
import type { SyncMode } from '../options.ts'
import type { Driver, DriverInput } from './driver-api.ts'
import type { DriverDependencies } from './driver-dependencies.ts'
import { createEngineSync } from './engine/engine-sync.ts'
import { traceInput } from './engine/trace.ts'
import { withBundle } from './engine/violation.ts'
import { createFailures } from './failures.ts'
import { createInputQueue } from './input-queue.ts'
import { RESET_BY_OPERATOR } from './reset/reset-reason.ts'
import { createResets } from './reset/reset-schedule.ts'
import { resetDriver } from './reset/reset-steps.ts'
import { createDerivationLoop, type DerivationLoop } from './safe/derivation-loop.ts'
import { createFinality } from './safe/finality.ts'
import { syncStatusOf } from './sync-status.ts'
import { createUnsafeSide } from './unsafe/unsafe-side.ts'
import { createWakers } from './wakers.ts'

/** A sequencer that is later than this shares its turns with derivation. */
const CATCHING_UP_MS = 30_000
/** Promotions are told to the engine at the latest after this many. */
const MAX_UNFLUSHED = 64

export interface DriverOptions {
  readonly maxQueuedInputs: number
  readonly maxUnsafeQueueBytes: number
  readonly allowFinalizedReorg: boolean
  readonly version: string
  readonly syncMode: SyncMode
  readonly maxHeadAgeSec: number
  readonly maxL1AgeSec: number
}

export function createDriver(options: DriverOptions, deps: DriverDependencies): Driver {
  const { config, engine, clock, degraded, forkStop, metrics, sequencer, trace } = deps
  const log: Logger = deps.log.child('driver')
  const inputs = createInputQueue(options.maxQueuedInputs)
  const wakers = createWakers()
  const { unsafeBlocks, gaps, whyBehind } = createUnsafeSide(options, deps, { inputs, wakers, log })
  const l1 = createL1View(deps)
  const derivation: DerivationLoop = createDerivationLoop({ ...deps, log }, wakers.wake)
  const finality = createFinality(l1, deps)
  const resets = createResets(clock, degraded)
  const engineSync = createEngineSync(options.syncMode, {
    ...{ ...deps, log, unsafeBlocks, resets },
    genesisNumber: config.genesis.l2.number,
  })
  const failures = createFailures({ clock, degraded, metrics, resets })
  const { engineRetry, derivationRetry } = failures
  /** Where derivation stood when the engine was last told of all it derived: what a status names beside the heads told. */
  let toldAtL1: L1BlockRef | null = null
  /** The last turn while the sequencer was late was its own. */
  let sequenced = false
  const resetParts = { l1, derivation, unsafeBlocks, engineSync, finality, resets, allowFinalizedReorg: options.allowFinalizedReorg, log }

  function take(input: DriverInput): void {
    traceInput(trace, input)
    switch (input.kind) {
      case 'unsafe-payload':
        unsafeBlocks.add(input.envelope)
        whyBehind.heard()
        return
      case 'reset':
        resets.order({ ...RESET_BY_OPERATOR, message: input.reason })
        return
      default:
        l1.take(input)
        if (input.kind === 'l1-finalized') finality.look()
        if (input.kind === 'l1-reorg') derivationRetry.succeeded()
        if (input.kind !== 'l1-head') return
        derivation.l1Moved()
        sequencer?.l1Moved(input.block)
    }
  }

  function noteTold(): void {
    if (engine.unflushed === 0) toldAtL1 = derivation.currentL1
  }

  function takeInputs(): void {
    for (const input of inputs.drain()) take(input)
  }

  /** The next thing there is to do, in order of urgency. */
  async function work(): Promise<boolean> {
    takeInputs()
    if (resets.due !== null && !resets.waiting) {
      await resetDriver(resets.due, deps, resetParts)
      noteTold()
      return true
    }
    if (engineSync.active) return engineSync.step()
    const dueMs = sequencer?.nextDueMs() ?? null
    if (sequencer !== null && dueMs !== null && dueMs <= clock.nowMs()) {
      // blocks that catch up with real time are due all the time, and the safe head would stand still for as long
      const isLate = clock.nowMs() - dueMs > CATCHING_UP_MS
      if (isLate && sequenced && !derivationRetry.waiting) {
        sequenced = false
        if (await deriveOrWait()) return true
        if (resets.due !== null) return false
      }
      sequenced = true
      if (await sequencer.step()) return true
    }
    if (await unsafeBlocks.insertNext()) return true
    return derivationRetry.waiting || resets.due !== null ? false : deriveOrWait()
  }

  /** Derivation's part of the work. What L1 or the beacon API cannot give now holds up nothing else. */
  async function deriveOrWait(): Promise<boolean> {
    try {
      return await derive()
    } catch (error) {
      failures.derivationFailed(error)
      // nobody knows for how long: what was derived so far is told now
      if (engine.unflushed > 0 && resets.due === null) await engine.flush()
      // a reset that need not wait is the next thing to do
      return resets.due !== null && !resets.waiting
    }
  }

  async function derive(): Promise<boolean> {
    await l1.heedReorg([derivation.currentL1, engine.heads?.unsafe.l1Origin])
    if (finality.pending && (await finality.tryFinalize())) return true
    const outcome = await derivation.advance()
    if (outcome === 'reading' || outcome === 'nothing-to-do') return false
    failures.derivationMoved()
    const caughtUp = outcome === 'caught-up'
    if (outcome === 'block' && engine.heads !== null) resets.noteSafe(engine.heads.safe.number)
    // while blocks still stream in, the engine hears of them in bundles
    if (caughtUp || engine.unflushed >= MAX_UNFLUSHED) await engine.flush()
    noteTold()
    if (caughtUp) finality.look()
    else if (outcome === 'block') finality.derivedAt(derivation.currentL1)
    return true
  }

  function waiting(): boolean {
    return engineRetry.waiting || resets.holdsUpAll
  }

  /** Something was read from L1, and nothing has to be waited for before it is used. */
  function canDerive(): boolean {
    return derivation.ready && !waiting() && !derivationRetry.waiting && resets.due === null
  }

  /** Throws what is critical, with the place of a bundle when heads would have become what they must not be. */
  async function handle(error: unknown): Promise<void> {
    const { head, safe, finalized } = l1
    const l1Refs = { head, safe, finalized, derivation: derivation.currentL1 }
    const context = { config, version: options.version, atMs: clock.nowMs(), l1: l1Refs, trace }
    failures.stepFailed(await withBundle(error, deps.violations, context), engine.heads !== null)
  }

  return {
    submit(input) {
      const result = inputs.push(input)
      wakers.wake()
      return result
    },
    async step() {
      forkStop.look(engine.heads, derivation.currentL1)
      whyBehind.look(forkStop.reached ? null : engine.heads, l1.head, l1.blockTimeSec)
      if (waiting()) {
        // only inputs are taken, so that the latest news is there when it is tried again
        takeInputs()
        return false
      }
      try {
        const worked = await work()
        failures.stepSucceeded()
        return worked
      } catch (error) {
        await handle(error)
        return !waiting()
      }
    },
    get heads() {
      return engine.heads
    },
    status: () => syncStatusOf(engine.told, l1, toldAtL1 ?? derivation.currentL1, unsafeBlocks.next),
    async waitForWork() {
      if (inputs.size > 0 || canDerive()) return
      await wakers.wait()
    },
    wake: wakers.wake,
    nextDueMs() {
      if (engineRetry.waiting) return engineRetry.retryAtMs
      if (resets.due !== null && !resets.waiting) return clock.nowMs()
      if (resets.holdsUpAll) return resets.retryAtMs
      if (engineSync.active) return engineSync.retryAtMs
      const derivationMs = derivationRetry.waiting ? derivationRetry.retryAtMs : null
      const times = [sequencer?.nextDueMs() ?? null, derivationMs, resets.due === null ? null : resets.retryAtMs]
      return times.reduce((first, ms) => (first === null || (ms !== null && ms < first) ? ms : first), null)
    },
    get degraded() {
      return degraded.list()
    },
    get l1BlockTimeSec() {
      return l1.blockTimeSec
    },
    get reading() {
      return gaps?.busy === true || derivation.reading || canDerive()
    },
    get caughtUpOnce() {
      return derivation.caughtUpOnce
    },
  }
}
