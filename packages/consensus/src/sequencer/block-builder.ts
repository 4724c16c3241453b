import type { RollupConfig } from '@keelson/chainspec'
import { type AttributesBuilder, mayIncludeTransactions } from '@keelson/derivation'
import type { Clock, L2BlockRef, Logger, PayloadEnvelope, PayloadId } from '@keelson/primitives'
import { type BackOff, createBackOff } from '../back-off.ts'
import { blockOf } from '../block-spans.ts'
import { describeBlock } from '../blocks/l2-heads.ts'
import type { DegradedStates } from '../degraded-states.ts'
import type { EngineControl } from '../driver/engine/engine-control.ts'
import { ConsensusError, messageOf, severityOf } from '../errors.ts'
import type { ConsensusMetrics, SequencedTimes } from '../metrics.ts'
import { isTooOldForGossip } from '../p2p/gossip/block-validator.ts'
import type { BlockSpans, BlockStep, Conductor } from '../ports.ts'
import type { OriginSelector } from './origin-selector.ts'
import { createSealTiming, type SealTiming } from './seal-timing.ts'
import type { SignedBlocks } from './signed-blocks.ts'

export interface BlockBuilderDependencies {
  readonly config: RollupConfig
  readonly attributes: AttributesBuilder
  readonly origins: Pick<OriginSelector, 'select'>
  readonly engine: Pick<EngineControl, 'heads' | 'startBuild' | 'seal' | 'insertUnsafe' | 'insertLate'>
  readonly conductor: Pick<Conductor, 'commitUnsafePayload'>
  readonly signed: SignedBlocks
  /** Must not throw. */
  readonly publish: (envelope: PayloadEnvelope) => void
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Pick<ConsensusMetrics, 'sequenced' | 'sequencerError'>
  readonly degraded: DegradedStates
  readonly spans: BlockSpans
}

interface Build {
  /** Null when an already signed block is resumed. */
  readonly payloadId: PayloadId | null
  readonly parent: L2BlockRef
  readonly timestampSec: number
  readonly startMs: number
  readonly startedMs: number
  sealed: { readonly envelope: PayloadEnvelope; readonly tookMs: number } | null
  commitMs: number | null
}

const MS_PER_SEC = 1_000
const LONGEST_RETRY_MS = 1_000

/** Builds one block at a time: starts, seals, has the conductor record it, inserts and publishes it. */
export class BlockBuilder {
  readonly #deps: BlockBuilderDependencies
  readonly #backOff: BackOff
  readonly #timing: SealTiming
  readonly #blockTimeMs: number
  #build: Build | null = null

  constructor(sealingMarginMs: number, deps: BlockBuilderDependencies) {
    this.#deps = deps
    this.#backOff = createBackOff(deps.clock, LONGEST_RETRY_MS)
    this.#blockTimeMs = deps.config.blockTimeSec * MS_PER_SEC
    this.#timing = createSealTiming(sealingMarginMs, this.#blockTimeMs)
  }

  /** A build starts when its parent is due, to collect transactions for a whole block time. */
  nextDueMs(unsafe: L2BlockRef | null): number | null {
    if (this.#backOff.waiting) return this.#backOff.retryAtMs
    return (this.#build?.timestampSec ?? unsafe?.timestampSec ?? 0) * MS_PER_SEC - this.#timing.leadMs
  }

  /** Handles temporary errors; throws others. */
  async step(unsafe: L2BlockRef, recover: boolean): Promise<void> {
    if (this.#build !== null && this.#build.parent.hash !== unsafe.hash) this.#build = null
    try {
      if (this.#build === null) this.#build = await this.#begin(unsafe, recover)
      else await this.#seal(this.#build)
      this.#backOff.succeeded()
      this.#deps.degraded.leave('sequencer')
    } catch (error) {
      this.#failed(error)
    }
  }

  cancel(): void {
    this.#build = null
  }

  retryNow(): void {
    this.#backOff.succeeded()
  }

  async #begin(parent: L2BlockRef, recover: boolean): Promise<Build> {
    const { attributes, clock, config, engine, log, origins, signed } = this.#deps
    const startMs = clock.nowMs()
    const timestampSec = parent.timestampSec + config.blockTimeSec
    const build = { parent, timestampSec, startMs, commitMs: null }
    const lost = await signed.find(parent)
    if (lost !== null) {
      const { blockNumber: number, blockHash: hash } = lost.payload
      log.warn('resuming a block that this node signed and that is not on its chain', { number, hash })
      return { ...build, payloadId: null, startedMs: clock.nowMs(), sealed: { envelope: lost, tookMs: 0 } }
    }
    const origin = await origins.select(parent)
    const forced = await attributes.build(parent, origin)
    const noTxPool = recover || !mayIncludeTransactions(config, parent, origin)
    const started = await engine.startBuild(parent, { ...forced, noTxPool })
    if (started.kind === 'started') return { ...build, payloadId: started.payloadId, startedMs: clock.nowMs(), sealed: null }
    throw new ConsensusError(
      'consensus/engine-rejected-deposits',
      'reset',
      `the engine rejects the attributes of block ${parent.number + 1} with origin ${describeBlock(origin)}: ${started.reason}`,
    )
  }

  async #seal(job: Build): Promise<void> {
    const { clock, conductor, engine, publish, signed } = this.#deps
    if (job.sealed === null && job.payloadId !== null) await this.#sealInEngine(job, job.payloadId)
    // the build was cancelled while sealing; nobody has seen its block
    if (this.#build !== job || job.sealed === null) return
    const { envelope, tookMs } = job.sealed
    if (job.commitMs === null) {
      const commitStartMs = clock.nowMs()
      await conductor.commitUnsafePayload(envelope)
      job.commitMs = clock.nowMs() - commitStartMs
      this.#span('commit', envelope, commitStartMs)
    }
    const insertStartMs = clock.nowMs()
    const inserted = await (this.#isLate(job) ? engine.insertLate(envelope) : engine.insertUnsafe(envelope))
    this.#build = null
    if (inserted.kind === 'invalid') {
      if (job.payloadId === null) signed.refused(envelope.payload.blockHash)
      throw new ConsensusError(
        'consensus/engine-unavailable',
        'temporary',
        `the engine rejects block ${job.parent.number + 1}, which it built itself: ${inserted.reason}`,
      )
    }
    this.#sequenced(job, inserted.block, { sealMs: tookMs, commitMs: job.commitMs, insertMs: clock.nowMs() - insertStartMs })
    publish(envelope)
  }

  /** The next block is due too, and its build sends this head to the engine. */
  #isLate({ timestampSec }: Build): boolean {
    return isTooOldForGossip(timestampSec, this.#deps.clock.nowMs() / MS_PER_SEC)
  }

  async #sealInEngine(job: Build, payloadId: PayloadId): Promise<void> {
    const { clock, engine } = this.#deps
    const startMs = clock.nowMs()
    const envelope = await engine.seal(payloadId)
    if (envelope === null) {
      this.#build = null
      throw new ConsensusError('consensus/engine-unavailable', 'temporary', `the engine lost the build of block ${job.parent.number + 1}`)
    }
    job.sealed = { envelope, tookMs: clock.nowMs() - startMs }
    this.#span('build', envelope, job.startMs)
    this.#span('seal', envelope, startMs)
  }

  #span(step: BlockStep, { payload }: PayloadEnvelope, startMs: number): void {
    const { clock, spans } = this.#deps
    spans.record({ step, block: blockOf(payload), startMs, endMs: clock.nowMs(), facts: { transactions: payload.transactions.length } })
  }

  #sequenced(job: Build, block: L2BlockRef, took: Pick<SequencedTimes, 'sealMs' | 'commitMs' | 'insertMs'>): void {
    const { clock, log, metrics } = this.#deps
    const lateMs = clock.nowMs() - job.timestampSec * MS_PER_SEC
    this.#timing.sealed(took.sealMs + took.commitMs + took.insertMs)
    metrics.sequenced({ buildMs: job.startedMs - job.startMs, ...took, lateMs, missedSlot: lateMs >= this.#blockTimeMs })
    log.debug('block sequenced', {
      block: describeBlock(block),
      transactions: job.sealed?.envelope.payload.transactions.length,
      origin: describeBlock(block.l1Origin),
      lateMs,
    })
  }

  #failed(error: unknown): void {
    const { degraded, metrics } = this.#deps
    metrics.sequencerError()
    const isTemporary = severityOf(error) === 'temporary'
    // the conductor may have recorded a sealed block
    if (this.#build?.sealed === null || !isTemporary) this.#build = null
    if (!isTemporary) throw error
    this.#backOff.failed()
    degraded.enter(
      'sequencer',
      'the sequencer cannot build a block',
      messageOf(error),
      'the block is retried; check L1, the execution client, and the conductor if there is one',
    )
  }
}
