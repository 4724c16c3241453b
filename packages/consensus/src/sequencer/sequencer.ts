/**
 * Builds the unsafe chain: one block every block time, sealed at its own time, late ones at once. Walk W2
 * of the architecture. It is a part of the driver, which calls `step` when `nextDueMs` has come.
 */
import type { RollupConfig } from '@keelson/chainspec'
import { type AttributesBuilder, mayIncludeTransactions } from '@keelson/derivation'
import type { Clock, Hash, L1BlockRef, L2BlockRef, Logger, PayloadEnvelope, PayloadId } from '@keelson/primitives'
import { createBackOff } from '../driver/back-off.ts'
import type { DegradedStates } from '../driver/degraded-states.ts'
import type { SequencerPart } from '../driver/driver-dependencies.ts'
import type { EngineControl } from '../driver/engine-control.ts'
import { describeBlock } from '../driver/heads.ts'
import { ConsensusError, messageOf, severityOf } from '../errors.ts'
import type { ConsensusMetrics } from '../metrics.ts'
import type { SequencerOptions } from '../options.ts'
import type { OriginSelector } from './origin-selector.ts'

export interface SequencerDependencies {
  readonly config: RollupConfig
  readonly attributes: AttributesBuilder
  readonly origins: OriginSelector
  readonly engine: EngineControl
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
  /** Begins on the unsafe head, which must be `expectedHead` when that is given. Throws ConsensusError `consensus/sequencer-state`. */
  start(expectedHead: Hash | null): void
  /** Ends after the block under way was given up; the unsafe head, on which another may go on. Throws ConsensusError `consensus/sequencer-state`. */
  stop(): Hash
}

interface Build {
  readonly payloadId: PayloadId
  readonly parent: L2BlockRef
  readonly timestampSec: number
  readonly startedMs: number
  readonly startMs: number
}

const MS_PER_SEC = 1_000

export function createSequencer(options: SequencerOptions, deps: SequencerDependencies): Sequencer {
  const { config, engine, clock, degraded, metrics } = deps
  const log = deps.log.child('sequencer')
  const backOff = createBackOff(clock)
  let active = !options.stopped
  let build: Build | null = null
  let l1Head: L1BlockRef | null = null

  function mayBuild(): boolean {
    const { heads } = engine
    if (!active || heads === null) return false
    if (options.waitForDerivation && !deps.caughtUp()) return false
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
    const origin = await deps.origins.select(parent)
    const timestampSec = parent.timestampSec + config.blockTimeSec
    const forced = await deps.attributes.build(parent, origin)
    const attributes = { ...forced, noTxPool: !mayIncludeTransactions(config, parent, origin) }
    const started = await engine.startBuild(parent, attributes)
    if (started.kind === 'invalid') {
      throw new ConsensusError(
        'consensus/engine-rejected-deposits',
        'reset',
        `the engine refuses the attributes of block ${parent.number + 1} with origin ${describeBlock(origin)}: ${started.reason}`,
      )
    }
    build = { payloadId: started.payloadId, parent, timestampSec, startMs, startedMs: clock.nowMs() }
  }

  async function seal(job: Build): Promise<void> {
    const sealStartMs = clock.nowMs()
    build = null
    const sealed = await engine.seal(job.payloadId)
    if (sealed === null) {
      throw new ConsensusError('consensus/engine-unavailable', 'temporary', `the engine lost the build of block ${job.parent.number + 1}`)
    }
    const insertStartMs = clock.nowMs()
    const inserted = await engine.insertUnsafe(sealed)
    if (inserted.kind === 'invalid') {
      throw new ConsensusError(
        'consensus/engine-unavailable',
        'temporary',
        `the engine refuses block ${job.parent.number + 1}, which it built itself: ${inserted.reason}`,
      )
    }
    const doneMs = clock.nowMs()
    metrics.sequenced({
      buildMs: job.startedMs - job.startMs,
      sealMs: insertStartMs - sealStartMs,
      insertMs: doneMs - insertStartMs,
    })
    if (engine.heads !== null) metrics.heads(engine.heads)
    log.debug('block sequenced', {
      block: describeBlock(inserted.block),
      transactions: sealed.payload.transactions.length,
      origin: describeBlock(inserted.block.l1Origin),
      lateMs: doneMs - job.timestampSec * MS_PER_SEC,
    })
    deps.publish(sealed)
  }

  function failed(error: unknown): void {
    build = null
    metrics.sequencerError()
    if (severityOf(error) !== 'temporary') throw error
    backOff.failed()
    degraded.enter('sequencer', 'the sequencer cannot build a block', messageOf(error), 'it tries again; check L1 and the execution client')
  }

  return {
    get active() {
      return active
    },
    nextDueMs() {
      if (!mayBuild()) return null
      if (backOff.waiting) return backOff.retryAtMs
      if (build !== null) return build.timestampSec * MS_PER_SEC - options.sealingMarginMs
      // the next block is begun when this one is due: its transactions are collected for a whole block time
      return (engine.heads?.unsafe.timestampSec ?? 0) * MS_PER_SEC - options.sealingMarginMs
    },
    async step() {
      const { heads } = engine
      if (heads === null || !mayBuild()) return false
      if (build !== null && build.parent.hash !== heads.unsafe.hash) build = null
      try {
        if (build === null) await begin(heads.unsafe)
        else await seal(build)
        backOff.succeeded()
        degraded.leave('sequencer')
      } catch (error) {
        failed(error)
      }
      return true
    },
    l1Moved(head) {
      const extends_ = l1Head === null || head.hash === l1Head.hash || head.parentHash === l1Head.hash
      l1Head = head
      if (!extends_) deps.origins.revalidate()
    },
    onReset() {
      build = null
      deps.origins.revalidate()
    },
    start(expectedHead) {
      if (active) throw new ConsensusError('consensus/sequencer-state', 'temporary', 'the sequencer is already running')
      const head = engine.heads?.unsafe
      if (expectedHead !== null && head?.hash !== expectedHead) {
        throw new ConsensusError(
          'consensus/sequencer-state',
          'temporary',
          `the unsafe head is ${head === undefined ? 'not known yet' : describeBlock(head)}, not ${expectedHead}; start from the block another sequencer stopped at`,
        )
      }
      active = true
      log.info('sequencer started', { head: head === undefined ? null : describeBlock(head) })
      deps.wake()
    },
    stop() {
      const head = engine.heads?.unsafe
      if (!active || head === undefined) throw new ConsensusError('consensus/sequencer-state', 'temporary', 'the sequencer is not running')
      active = false
      build = null
      log.info('sequencer stopped', { head: describeBlock(head) })
      return head.hash
    },
  }
}
