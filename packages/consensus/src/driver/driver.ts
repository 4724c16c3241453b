/**
 * The driver: everything that changes the L2 chain of this node happens in its `step`, one thing after
 * another. Reading L1 goes on beside it, so that a slow L1 does not hold up sequencing or gossip.
 * Walk W1 of the architecture; specs: protocol/rollup-node.md#driver
 */
import { type L1BlockRef, type Logger, type SyncStatus, ZERO_HASH } from '@keelson/primitives'
import { ConsensusError, messageOf, severityOf } from '../errors.ts'
import { createBackOff } from './back-off.ts'
import { createDerivationLoop, type DerivationLoop } from './derivation-loop.ts'
import type { Driver, DriverInput } from './driver-api.ts'
import type { DriverDependencies } from './driver-dependencies.ts'
import { findFinalized } from './finalizer.ts'
import { findSyncStart } from './find-sync-start.ts'
import { createGapFiller } from './gap-filler.ts'
import { describeBlock } from './heads.ts'
import { createInputQueue } from './input-queue.ts'
import { createUnsafeFollower } from './unsafe-follower.ts'

/** Promotions are told to the engine at the latest after this many. */
const MAX_UNFLUSHED = 64
/** The same reset this often in a row, without a new safe block, is an alarm. */
const RESET_ALARM = 3
const FINALITY_STEP_L1_BLOCKS = 16

/** Stands for an L1 label that L1 has not set yet, as other clients report it. */
const NO_L1_BLOCK: L1BlockRef = { hash: ZERO_HASH, number: 0, parentHash: ZERO_HASH, timestampSec: 0 }

interface L1View {
  head: L1BlockRef | null
  safe: L1BlockRef | null
  finalized: L1BlockRef | null
}

interface L1ReorgNews {
  readonly lastCommon: number
  readonly head: L1BlockRef
}

export interface DriverOptions {
  readonly maxQueuedInputs: number
  readonly maxUnsafeQueueBytes: number
  readonly allowFinalizedReorg: boolean
}

export function createDriver(options: DriverOptions, deps: DriverDependencies): Driver {
  const { engine, clock, degraded, metrics } = deps
  const log: Logger = deps.log.child('driver')
  const inputs = createInputQueue(options.maxQueuedInputs)
  const gaps =
    deps.peers === null
      ? null
      : createGapFiller({
          peers: deps.peers,
          submit({ envelope, from }) {
            inputs.push({ kind: 'unsafe-payload', envelope, from })
            wake()
          },
          ended: () => wake(),
          clock,
          log,
        })
  const unsafeBlocks = createUnsafeFollower(options.maxUnsafeQueueBytes, { engine, metrics, degraded, log, gaps })
  const l1: L1View = { head: null, safe: null, finalized: null }
  // the engine failed: nothing can be done; L1 or blobs are not to be had: only derivation waits
  const engineRetry = createBackOff(clock)
  const derivationRetry = createBackOff(clock)
  const resetRetry = createBackOff(clock)
  const derivation: DerivationLoop = createDerivationLoop({ ...deps, log }, () => wake())
  let resetReason: string | null = 'start'
  let resetsWithoutProgress = 0
  let highestSafe = -1
  let l1Reorg: L1ReorgNews | null = null
  let replacedAfter: number | null = null
  let finalityPending = false
  let finalityTriedAt = 0
  let wakers: (() => void)[] = []

  function wake(): void {
    const all = wakers
    wakers = []
    for (const resolve of all) resolve()
  }

  function take(input: DriverInput): void {
    switch (input.kind) {
      case 'l1-head':
        l1.head = input.block
        metrics.l1('head', input.block)
        derivation.l1Moved()
        deps.sequencer?.l1Moved(input.block)
        return
      case 'l1-safe':
        l1.safe = input.block
        metrics.l1('safe', input.block)
        return
      case 'l1-finalized':
        l1.finalized = input.block
        metrics.l1('finalized', input.block)
        finalityPending = true
        return
      case 'l1-reorg':
        l1Reorg = { lastCommon: Math.min(input.lastCommon, l1Reorg?.lastCommon ?? input.lastCommon), head: input.head }
        derivationRetry.succeeded()
        return
      case 'unsafe-payload':
        unsafeBlocks.add(input.envelope)
        return
      case 'reset':
        resetReason = input.reason
    }
  }

  async function reset(reason: string): Promise<void> {
    await derivation.settle()
    if (l1Reorg !== null) await noteReplaced(l1Reorg)
    const { allowFinalizedReorg } = options
    const start = await findSyncStart({ ...deps, l2: deps.refs, allowFinalizedReorg, replacedAfter })
    const before = engine.heads
    await engine.adopt(start.heads)
    derivation.reset(start.l1Origin, start.systemConfig)
    deps.sequencer?.onReset()
    unsafeBlocks.prune(start.heads.safe.number)
    resetReason = null
    replacedAfter = null
    finalityPending = l1.finalized !== null
    finalityTriedAt = 0
    metrics.reset()
    metrics.heads(start.heads)
    resetsWithoutProgress++
    noteProgress(start.heads.safe.number)
    log.info(before === null ? 'derivation starts' : 'derivation reset', {
      reason,
      unsafe: describeBlock(start.heads.unsafe),
      safe: describeBlock(start.heads.safe),
      finalized: describeBlock(start.heads.finalized),
      readingL1From: describeBlock(start.l1Origin),
      ...(before === null ? {} : { unsafeBefore: describeBlock(before.unsafe), safeBefore: describeBlock(before.safe) }),
    })
    if (before === null) deps.onStart(start.l1Origin)
    if (resetsWithoutProgress >= RESET_ALARM) {
      degraded.enter(
        'reset',
        'derivation is reset again and again without a new safe block',
        `${resetsWithoutProgress} times, the last time because: ${reason}`,
        'compare the L1 URL with another L1 source, and the block hashes of this node with another node',
      )
    }
  }

  /** A safe block higher than any before: whatever resets there were, they are over. */
  function noteProgress(safeNumber: number): void {
    if (safeNumber <= highestSafe) return
    highestSafe = safeNumber
    resetsWithoutProgress = 0
    resetRetry.succeeded()
    degraded.leave('reset')
  }

  async function tryFinalize(): Promise<boolean> {
    finalityPending = false
    const { heads } = engine
    if (heads === null || l1.finalized === null) return false
    const block = await findFinalized(
      { ...deps, l2: deps.refs },
      { finalizedL1: l1.finalized, finalized: heads.finalized, safe: heads.safe },
    )
    if (block === null) return false
    engine.finalize(block)
    await engine.flush()
    metrics.heads(engine.heads ?? heads)
    return true
  }

  /** The next thing there is to do, in order of urgency. */
  async function work(): Promise<boolean> {
    for (const input of inputs.drain()) take(input)
    if (resetReason !== null) {
      await reset(resetReason)
      return true
    }
    if (deps.sequencer !== null && isDue(deps.sequencer.nextDueMs()) && (await deps.sequencer.step())) return true
    if (await unsafeBlocks.insertNext()) return true
    return derivationRetry.waiting ? false : deriveOrWait()
  }

  /** Derivation's part of the work. What L1 or the beacon API cannot give now holds up nothing else. */
  async function deriveOrWait(): Promise<boolean> {
    try {
      return await derive()
    } catch (error) {
      if (severityOf(error) !== 'temporary' || isEngineFailure(error)) throw error
      metrics.derivationError('temporary')
      derivationRetry.failed()
      degraded.enter('derivation', 'derivation cannot go on', messageOf(error), 'it is tried again; check L1 and the beacon API')
      return false
    }
  }

  async function derive(): Promise<boolean> {
    if (l1Reorg !== null) await heedReorg(l1Reorg)
    if (finalityPending && (await tryFinalize())) return true
    const outcome = await derivation.advance()
    if (outcome !== 'reading' && outcome !== 'nothing-to-do') {
      derivationRetry.succeeded()
      degraded.leave('derivation')
    }
    const caughtUp = outcome === 'caught-up'
    if (outcome === 'block' && engine.heads !== null) noteProgress(engine.heads.safe.number)
    // while blocks still stream in, the engine hears of them in bundles
    if (caughtUp || engine.unflushed >= MAX_UNFLUSHED) await engine.flush()
    if (l1.finalized !== null && (caughtUp || (outcome === 'block' && isFinalityNews(l1.finalized)))) finalityPending = true
    return outcome === 'moved' || outcome === 'block' || caughtUp
  }

  /** What the search for a start must know, whoever noticed first that a reset is due. */
  async function noteReplaced({ lastCommon }: L1ReorgNews): Promise<void> {
    l1Reorg = null
    replacedAfter = Math.min(lastCommon, replacedAfter ?? lastCommon)
    await deps.walk.end()
  }

  /** Goes back at once when something here rests on a replaced block, and not only when L1 has grown past it again. */
  async function heedReorg({ lastCommon, head }: L1ReorgNews): Promise<void> {
    for (const block of [derivation.currentL1, engine.heads?.unsafe.l1Origin]) {
      if (block === undefined || block === null || block.number <= lastCommon) continue
      if ((await deps.l1.blockRef(block.number))?.hash === block.hash) continue
      await noteReplaced({ lastCommon, head })
      const message = `L1 is at ${describeBlock(head)} and has replaced its blocks after ${lastCommon}, of which ${describeBlock(block)} was in use`
      throw new ConsensusError('consensus/l1-reorg', 'reset', message)
    }
    l1Reorg = null
  }

  /** While old L1 blocks are read again, finality follows in steps; each look costs requests. */
  function isFinalityNews(finalizedL1: L1BlockRef): boolean {
    const at = derivation.currentL1?.number ?? 0
    if (at > finalizedL1.number || at < finalityTriedAt + FINALITY_STEP_L1_BLOCKS) return false
    finalityTriedAt = at
    return true
  }

  function isDue(atMs: number | null): boolean {
    return atMs !== null && atMs <= clock.nowMs()
  }

  function waiting(): boolean {
    return engineRetry.waiting || (resetReason !== null && resetRetry.waiting)
  }

  /** Something was read from L1, and nothing has to be waited for before it is used. */
  function canDerive(): boolean {
    return derivation.ready && !waiting() && !derivationRetry.waiting
  }

  /** Temporary failures wait and try again, resets are noted; what is critical goes to the caller. */
  function handle(error: unknown): void {
    const severity = severityOf(error)
    if (severity === 'critical') throw error
    if (severity === 'reset') {
      resetReason = messageOf(error)
      metrics.derivationError('reset')
      if (resetsWithoutProgress > 0) resetRetry.failed()
      return
    }
    metrics.derivationError('temporary')
    engineRetry.failed()
    const starting = engine.heads === null && !isEngineFailure(error)
    degraded.enter(
      'engine',
      starting ? 'where derivation begins cannot be found' : 'the execution client does not do what it is asked',
      messageOf(error),
      starting
        ? 'it is tried again; check L1 and the execution client'
        : 'check that the execution client runs, its engine URL and the JWT secret; it is asked again',
    )
  }

  function isEngineFailure(error: unknown): boolean {
    return error instanceof ConsensusError && error.code.startsWith('consensus/engine')
  }

  return {
    submit(input) {
      const result = inputs.push(input)
      wake()
      return result
    },
    async step() {
      if (waiting()) {
        // only inputs are taken, so that the latest news is there when it is tried again
        for (const input of inputs.drain()) take(input)
        return false
      }
      try {
        const worked = await work()
        engineRetry.succeeded()
        degraded.leave('engine')
        return worked
      } catch (error) {
        handle(error)
        return !waiting()
      }
    },
    get heads() {
      return engine.heads
    },
    status(): SyncStatus | null {
      const heads = engine.told
      if (heads === null || l1.head === null) return null
      return {
        currentL1: derivation.currentL1 ?? l1.head,
        headL1: l1.head,
        safeL1: l1.safe ?? NO_L1_BLOCK,
        finalizedL1: l1.finalized ?? NO_L1_BLOCK,
        unsafeL2: heads.unsafe,
        safeL2: heads.safe,
        finalizedL2: heads.finalized,
      }
    },
    async waitForWork() {
      if (inputs.size > 0 || canDerive()) return
      await new Promise<void>((resolve) => wakers.push(resolve))
    },
    wake,
    nextDueMs() {
      if (engineRetry.waiting) return engineRetry.retryAtMs
      if (resetReason !== null) return resetRetry.waiting ? resetRetry.retryAtMs : clock.nowMs()
      const sequencerMs = deps.sequencer?.nextDueMs() ?? null
      const derivationMs = derivationRetry.waiting ? derivationRetry.retryAtMs : null
      if (sequencerMs === null || derivationMs === null) return sequencerMs ?? derivationMs
      return Math.min(sequencerMs, derivationMs)
    },
    get degraded() {
      return degraded.list()
    },
    get reading() {
      return gaps?.busy === true || derivation.reading || canDerive()
    },
    get caughtUpOnce() {
      return derivation.caughtUpOnce
    },
  }
}
