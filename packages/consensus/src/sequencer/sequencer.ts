/**
 * Builds the unsafe chain: one block every block time, sealed at its own time, late ones at once. Walk W2
 * of the architecture. It is a part of the driver, which calls `step` when `nextDueMs` has come. A block is
 * inserted and gossiped only after the conductor has recorded it, and until then the same block is offered again.
 */
import type { RollupConfig } from '@keelson/chainspec'
import { type AttributesBuilder, mayIncludeTransactions } from '@keelson/derivation'
import type { Clock, Hash, L1BlockRef, L2BlockRef, Logger, PayloadEnvelope, PayloadId } from '@keelson/primitives'
import { describeBlock } from '../blocks/describe-block.ts'
import type { DegradedStates } from '../degraded-states.ts'
import { createBackOff } from '../driver/back-off.ts'
import type { SequencerPart } from '../driver/driver-dependencies.ts'
import type { EngineControl } from '../driver/engine/engine-control.ts'
import type { ForkStop } from '../driver/fork-stop.ts'
import { ConsensusError, messageOf, severityOf } from '../errors.ts'
import type { ConsensusMetrics, SequencedTimes } from '../metrics.ts'
import type { SequencerOptions } from '../options.ts'
import type { Conductor } from '../ports.ts'
import type { OriginSelector } from './origin-selector.ts'
import { createSealTiming } from './seal-timing.ts'
import type { SequencerState } from './sequencer-state.ts'
import type { SignedBlocks } from './signed-blocks.ts'

export interface SequencerDependencies {
  readonly config: RollupConfig
  readonly attributes: AttributesBuilder
  readonly origins: OriginSelector
  readonly engine: EngineControl
  readonly forkStop: Pick<ForkStop, 'isLast'>
  readonly conductor: Conductor
  readonly state: SequencerState
  readonly signed: SignedBlocks
  /** Called with each block once it is the unsafe head; must not throw. */
  readonly publish: (envelope: PayloadEnvelope) => void
  /** Has derivation read all of L1 at least once? */
  readonly caughtUp: () => boolean
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: ConsensusMetrics
  readonly degraded: DegradedStates
  /** Something changed that `nextDueMs` depends on. */
  readonly wake: () => void
}

export interface Sequencer extends SequencerPart {
  readonly active: boolean
  readonly conductorEnabled: boolean
  /** Begins on the unsafe head, which must be `expectedHead`. Throws ConsensusError `consensus/sequencer-state`, or the conductor's. */
  start(expectedHead: Hash): Promise<void>
  /** Ends after the step under way; the unsafe head, on which another may go on. Throws ConsensusError `consensus/sequencer-state`. */
  stop(): Promise<Hash>
  overrideLeader(): void
  setRecoverMode(on: boolean): void
}

interface Build {
  /** Null when it was signed before: nothing is built then. */
  readonly payloadId: PayloadId | null
  readonly parent: L2BlockRef
  readonly timestampSec: number
  readonly startedMs: number
  readonly startMs: number
  /** Once the engine has sealed it. */
  sealed: { readonly envelope: PayloadEnvelope; readonly tookMs: number } | null
  commitMs: number | null
}

const MS_PER_SEC = 1_000
/** A block that cannot be made is tried again at least this often: blocks are late by then. */
const LONGEST_RETRY_MS = 1_000
/** Older than this, the head may be of a copy from another time. */
const OWN_HEAD_AGE_MS = 60_000

export function createSequencer(options: SequencerOptions, deps: SequencerDependencies): Sequencer {
  const { config, conductor, engine, clock, degraded, metrics } = deps
  const log = deps.log.child('sequencer')
  const backOff = createBackOff(clock, LONGEST_RETRY_MS)
  const blockTimeMs = config.blockTimeSec * MS_PER_SEC
  const timing = createSealTiming(options.sealingMarginMs, blockTimeMs)
  const wanted = conductor.enabled ? null : deps.state.read()
  const byOptions = options.stopped || conductor.enabled ? 'stopped' : 'started'
  let active = (wanted ?? byOptions) === 'started'
  let recover = options.recover
  let build: Build | null = null
  let stepping: Promise<unknown> = Promise.resolve()
  let l1Head: L1BlockRef | null = null
  let continues = false
  deps.origins.setRecoverMode(recover)
  if (wanted !== null && wanted !== byOptions) {
    log.warn(
      `the sequencer stays ${wanted}, as its operator left it; ${active ? 'admin_stopSequencer stops it' : 'admin_startSequencer starts it'}`,
    )
  }

  /**
   * Started again in the middle of its work: a head this young, with all that was known to be safe under it, is its own,
   * and users would wait for blocks while L1 is read again. Where others may lead meanwhile, it reads L1 first.
   */
  function goesOn(unsafe: L2BlockRef): boolean {
    return !conductor.enabled && continues && clock.nowMs() - unsafe.timestampSec * MS_PER_SEC <= OWN_HEAD_AGE_MS
  }

  function mayBuild(): boolean {
    const { heads } = engine
    if (!active || heads === null || deps.forkStop.isLast(heads.unsafe)) return false
    if (options.waitForDerivation && !deps.caughtUp() && !goesOn(heads.unsafe)) return false
    const lag = heads.unsafe.number - heads.safe.number
    if (options.maxSafeLagBlocks === 0 || lag < options.maxSafeLagBlocks) {
      degraded.leave('sequencer-lag')
      return true
    }
    degraded.enter(
      'sequencer-lag',
      'sequencing pauses: the safe head is too far behind',
      `unsafe is ${lag} blocks ahead of safe, the limit is ${options.maxSafeLagBlocks}`,
      'check that the batcher runs and that its account has funds on L1',
    )
    return false
  }

  async function begin(parent: L2BlockRef): Promise<void> {
    const startMs = clock.nowMs()
    const timestampSec = parent.timestampSec + config.blockTimeSec
    const signed = await deps.signed.find(parent)
    if (signed !== null) {
      log.warn('a block this node has signed is not on its chain: it is taken up again', {
        number: signed.payload.blockNumber,
        hash: signed.payload.blockHash,
      })
      const sealed = { envelope: signed, tookMs: 0 }
      build = { payloadId: null, parent, timestampSec, startMs, startedMs: clock.nowMs(), sealed, commitMs: null }
      return
    }
    const origin = await deps.origins.select(parent)
    const forced = await deps.attributes.build(parent, origin)
    const attributes = { ...forced, noTxPool: recover || !mayIncludeTransactions(config, parent, origin) }
    const started = await engine.startBuild(parent, attributes)
    if (started.kind === 'invalid') {
      throw new ConsensusError(
        'consensus/engine-rejected-deposits',
        'reset',
        `the engine refuses the attributes of block ${parent.number + 1} with origin ${describeBlock(origin)}: ${started.reason}`,
      )
    }
    build = {
      payloadId: started.payloadId,
      parent,
      timestampSec,
      startMs,
      startedMs: clock.nowMs(),
      sealed: null,
      commitMs: null,
    }
  }

  async function seal(job: Build): Promise<void> {
    const startMs = clock.nowMs()
    if (job.sealed === null && job.payloadId !== null) {
      const envelope = await engine.seal(job.payloadId)
      if (envelope === null) {
        build = null
        throw new ConsensusError('consensus/engine-unavailable', 'temporary', `the engine lost the build of block ${job.parent.number + 1}`)
      }
      job.sealed = { envelope, tookMs: clock.nowMs() - startMs }
    }
    // stopped, or on another head, while the engine worked: nobody has seen this block
    if (!active || build !== job || job.sealed === null) return
    const { envelope, tookMs } = job.sealed
    if (job.commitMs === null) {
      const commitStartMs = clock.nowMs()
      await conductor.commitUnsafePayload(envelope)
      job.commitMs = clock.nowMs() - commitStartMs
    }
    const insertStartMs = clock.nowMs()
    const inserted = await engine.insertUnsafe(envelope)
    build = null
    if (inserted.kind === 'invalid') {
      if (job.payloadId === null) deps.signed.refused(envelope.payload.blockHash)
      throw new ConsensusError(
        'consensus/engine-unavailable',
        'temporary',
        `the engine refuses block ${job.parent.number + 1}, which it built itself: ${inserted.reason}`,
      )
    }
    sequenced(job, inserted.block, { sealMs: tookMs, commitMs: job.commitMs, insertMs: clock.nowMs() - insertStartMs })
    deps.publish(envelope)
  }

  function sequenced(job: Build, block: L2BlockRef, took: Pick<SequencedTimes, 'sealMs' | 'commitMs' | 'insertMs'>): void {
    const lateMs = clock.nowMs() - job.timestampSec * MS_PER_SEC
    const missedSlot = lateMs >= blockTimeMs
    timing.sealed(took.sealMs + took.commitMs + took.insertMs)
    metrics.sequenced({ buildMs: job.startedMs - job.startMs, ...took, lateMs, missedSlot })
    if (engine.heads !== null) metrics.heads(engine.heads)
    log.debug('block sequenced', {
      block: describeBlock(block),
      transactions: job.sealed?.envelope.payload.transactions.length,
      origin: describeBlock(block.l1Origin),
      lateMs,
    })
  }

  function failed(error: unknown): void {
    metrics.sequencerError()
    // a sealed block that the conductor may have recorded, or that is not inserted yet, is the one to go on with
    if (build?.sealed === null || severityOf(error) !== 'temporary') build = null
    if (severityOf(error) !== 'temporary') throw error
    backOff.failed()
    degraded.enter(
      'sequencer',
      'the sequencer cannot build a block',
      messageOf(error),
      'it tries again; check L1, the execution client, and the conductor if there is one',
    )
  }

  async function work(unsafe: L2BlockRef): Promise<void> {
    if (build !== null && build.parent.hash !== unsafe.hash) build = null
    try {
      if (build === null) await begin(unsafe)
      else await seal(build)
      backOff.succeeded()
      degraded.leave('sequencer')
    } catch (error) {
      failed(error)
    }
  }

  function state(message: string): ConsensusError {
    return new ConsensusError('consensus/sequencer-state', 'temporary', message)
  }

  /** Why this node would not build if it were started now; null when it would. */
  function unready(): string | null {
    if (engine.heads === null) return 'where derivation begins is not known yet'
    if (options.waitForDerivation && !deps.caughtUp() && !goesOn(engine.heads.unsafe)) return 'it has not read all of L1 yet'
    return null
  }

  return {
    get active() {
      return active
    },
    conductorEnabled: conductor.enabled,
    nextDueMs() {
      if (!mayBuild()) return null
      if (backOff.waiting) return backOff.retryAtMs
      const unsafeSec = engine.heads?.unsafe.timestampSec ?? 0
      // the next block is begun when this one is due: its transactions are collected for a whole block time
      return (build?.timestampSec ?? unsafeSec) * MS_PER_SEC - timing.leadMs
    },
    async step() {
      const { heads } = engine
      if (heads === null || !mayBuild()) return false
      const working = work(heads.unsafe)
      stepping = working.catch(() => undefined)
      await working
      return true
    },
    l1Moved(head) {
      const extends_ = l1Head === null || head.hash === l1Head.hash || head.parentHash === l1Head.hash
      l1Head = head
      if (!extends_) deps.origins.revalidate()
    },
    onReset(nothingLost) {
      continues = nothingLost
      build = null
      deps.origins.revalidate()
    },
    async start(expectedHead) {
      if (!(await conductor.leader())) throw state('sequencer is not the leader, aborting')
      if (active) throw state('sequencer already running')
      const reason = conductor.enabled ? unready() : null
      if (reason !== null) throw state(`the sequencer cannot lead yet: ${reason}`)
      const head = engine.heads?.unsafe
      if (head === undefined) throw state('the unsafe head is not known yet; try again when derivation has begun')
      if (head.hash !== expectedHead) {
        const remedy = 'start from the block another sequencer stopped at, once this node has it'
        throw state(`block hash does not match: head ${head.hash} (block ${head.number}), received ${expectedHead}; ${remedy}`)
      }
      build = null
      // before anything is waited for: the head that was compared must be the one that is built on
      active = true
      backOff.succeeded()
      await deps.state.write('started').catch((error: unknown) => {
        active = false
        throw error
      })
      log.info('sequencer started', { head: describeBlock(head) })
      deps.wake()
    },
    async stop() {
      if (!active) throw state('sequencer not running')
      active = false
      // a block that is already recorded or on its way in becomes the head that is answered
      await stepping
      build = null
      await deps.state.write('stopped')
      degraded.leave('sequencer')
      const head = engine.heads?.unsafe
      if (head === undefined) throw state('sequencer stopped; the unsafe head is not known yet')
      log.info('sequencer stopped', { head: describeBlock(head) })
      return head.hash
    },
    overrideLeader() {
      conductor.overrideLeader()
      log.warn('leadership is overridden: this node seals whatever the conductor says, until it is started anew')
    },
    setRecoverMode(on) {
      recover = on
      deps.origins.setRecoverMode(on)
      log.warn(on ? 'recover mode: blocks without transactions, on the next L1 origin' : 'recover mode is over')
    },
  }
}
