/**
 * Posts unsafe blocks to L1 in strict order. Keeps no state: when chain and sent channels disagree, it waits for all transactions
 * and restarts at the safe head. specs: protocol/batcher.md, holocene/derivation.md#batcher-hardening
 */
import { type ForkLimit, forkLimitOf, type L1ChainConfig, type RollupConfig } from '@keelson/chainspec'
import { type Clock, type Logger, messageOf, type Random, type RollupApi, type SyncStatus, ZERO_HASH } from '@keelson/primitives'
import { createPoller, type Metrics, type Poller, type RpcMethods, type Service } from '@keelson/runtime'
import { type BatcherStatus, createAdminMethods } from './admin-methods.ts'
import { type BlockCursor, createBlockCursor } from './block-cursor.ts'
import { createCarrierChoice } from './carrier-choice.ts'
import { ChannelManager } from './channel-manager.ts'
import type { ChannelCompressor } from './compression.ts'
import { BatcherError } from './errors.ts'
import { type BatcherMetrics, createBatcherMetrics } from './metrics.ts'
import type { BatcherOptions } from './options.ts'
import type { BlockLimits, L1Prices, L1Sender, L2Blocks } from './ports.ts'
import { Restart } from './restart.ts'
import { Submissions } from './submissions.ts'
import { createThrottle, type Throttle } from './throttle.ts'

export interface BatcherDependencies {
  readonly config: RollupConfig
  readonly l2: L2Blocks
  readonly rollup: RollupApi
  readonly sender: L1Sender
  /** Needed to choose by price; without prices, 'auto' means blobs. */
  readonly prices: L1Prices | null
  readonly l1Chain?: L1ChainConfig | null
  readonly compressor: ChannelCompressor
  readonly limits?: BlockLimits | null
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
}

export type BatcherStep =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'waiting'; readonly reason: string }
  | { readonly kind: 'worked'; readonly blocksTaken: number; readonly more: boolean }

export interface BatcherTrouble {
  readonly sinceMs: number
  readonly reason: string
}

export interface Batcher extends Service {
  step(): Promise<BatcherStep>
  readonly methods: RpcMethods
  trouble(): BatcherTrouble | null
}

/** Limits of one step, so that the stop signal is checked during a long backlog. */
const MAX_BLOCKS_PER_STEP = 500
const MAX_STEP_MS = 2000
const MEAN_WEIGHT = 0.1

interface Parts {
  readonly rollup: RollupApi
  readonly cursor: BlockCursor
  readonly channels: ChannelManager
  readonly submissions: Submissions
  readonly restart: Restart
  readonly throttle: Throttle
  readonly limit: ForkLimit | null
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: BatcherMetrics
}

export function createBatcher(options: BatcherOptions, deps: BatcherDependencies): Batcher {
  const { config, clock, log, sender, prices, l1Chain = null, limits = null } = deps
  const metrics = createBatcherMetrics(deps.metrics)
  const choice = createCarrierChoice(options, prices, log)
  const submissions = new Submissions({ sender, maxPending: options.maxPendingTransactions, choice, metrics })
  const { compressor, random } = deps
  return new BatcherService(options, {
    rollup: deps.rollup,
    cursor: createBlockCursor(config, deps.l2),
    channels: new ChannelManager(options, { config, l1Chain, choice, submissions, compressor, random, metrics, log }),
    submissions,
    restart: new Restart({ submissions, sender, prices, metrics, log }),
    throttle: createThrottle(options, { limits, clock, log, metrics }),
    limit: forkLimitOf(config),
    clock,
    log,
    metrics,
  })
}

class BatcherService implements Batcher {
  readonly name = 'batcher'
  readonly methods: RpcMethods
  readonly failure: Promise<never>
  readonly #parts: Parts
  readonly #poller: Poller
  #stopped: BatcherTrouble | null
  #dropUnsent = false
  #flush = false
  #meanBlockBytes = 0
  #degraded: BatcherTrouble | null = null
  #ended: BatcherTrouble | null = null

  constructor(options: BatcherOptions, parts: Parts) {
    this.#parts = parts
    this.#stopped = options.stopped ? this.#stoppedBy('an option (--stopped)') : null
    this.#poller = createPoller(() => this.#poll(), {
      clock: parts.clock,
      intervalMs: options.pollIntervalMs,
      onError: (error) => this.#degrade(error),
    })
    this.failure = this.#poller.failure
    this.methods = createAdminMethods({
      active: () => this.#active,
      start: () => this.#startBatching(),
      stop: () => this.#stopBatching(),
      flush: () => {
        if (this.#active) this.#flush = true
        return this.#active
      },
      throttle: parts.throttle,
      throttleOptions: options,
      status: () => this.#status(),
    })
  }

  async start(): Promise<void> {
    this.#poller.start()
  }

  stop(): Promise<void> {
    return this.#poller.stop()
  }

  trouble(): BatcherTrouble | null {
    if (this.#stopped !== null) return this.#stopped
    const { sendError } = this.#parts.submissions
    if (this.#degraded !== null || sendError === null) return this.#degraded ?? this.#ended
    return { sinceMs: this.#parts.clock.nowMs(), reason: sendError }
  }

  async step(): Promise<BatcherStep> {
    const { channels, cursor, metrics, restart, rollup, submissions, throttle } = this.#parts
    if (this.#dropUnsent) {
      channels.drop()
      submissions.dropWaiting()
    }
    this.#dropUnsent = false
    if (!this.#active) return { kind: 'stopped' }
    await restart.recover()
    const status = await rollup.syncStatus()
    if (status.safeL2.hash === ZERO_HASH || status.headL1.hash === ZERO_HASH) {
      return { kind: 'waiting', reason: 'the consensus client does not know its heads yet' }
    }
    metrics.status(status, cursor.tip?.number ?? null)
    metrics.pending(submissions.pendingCount)
    metrics.inclusion(status.headL1.number, submissions.lastInclusion)
    const claimed = submissions.limitInclusion(status.headL1.number)
    if (claimed !== null) {
      const fields = { claimedL1Block: claimed, headL1: status.headL1.number }
      this.#parts.log.warn('the L1 node says that a batch is in a block far beyond the L1 head; the safe head decides', fields)
    }
    if (restart.reason === null) {
      const reason = submissions.takeFailure() ?? cursor.check(status) ?? this.#lostChannel(status)
      if (reason !== null) this.#restart(reason)
    }
    if (restart.reason !== null) {
      const reason = await this.#resume(status)
      if (reason !== null) return { kind: 'waiting', reason }
    }
    submissions.prune(status.safeL2.number)
    const { blocksTaken, more } = await this.#takeBlocks(status)
    this.#noteEnd(cursor.end)
    await channels.closeIfDue(status.headL1, this.#flush)
    this.#flush = false
    if (this.#active) submissions.send(this.#poller.signal)
    await throttle.update(this.#backlogBytes(status))
    return { kind: 'worked', blocksTaken, more }
  }

  get #active(): boolean {
    return this.#stopped === null
  }

  #stoppedBy(whom: string): BatcherTrouble {
    return { sinceMs: this.#parts.clock.nowMs(), reason: `stopped by ${whom}: no blocks are batched until admin_startBatcher` }
  }

  #startBatching(): void {
    if (!this.#active) this.#restart('started by an operator')
    this.#stopped = null
  }

  #stopBatching(): void {
    if (this.#active) this.#parts.log.info('stopped by an operator; sent transactions still settle')
    this.#stopped ??= this.#stoppedBy('an operator (admin_stopBatcher)')
    this.#dropUnsent = true
  }

  #restart(reason: string): void {
    const { channels, restart, submissions } = this.#parts
    restart.begin(reason)
    channels.drop()
    submissions.reset()
  }

  async #resume(status: SyncStatus): Promise<string | null> {
    const { cursor, limit, log, restart, submissions, throttle } = this.#parts
    const reason = await restart.notReady(status)
    if (reason !== null) {
      // At the fork the consensus client stops reading L1 too, so only a new release ends this wait.
      this.#noteEnd(limit?.isLast(status.unsafeL2.timestampSec) ? limit.sentence : null)
      await throttle.update(this.#backlogBytes(status))
      return reason
    }
    submissions.takeFailure()
    cursor.restart(status.safeL2)
    restart.finish()
    log.info('batching', { from: status.safeL2.number + 1, unsafe: status.unsafeL2.number })
    return null
  }

  async #takeBlocks(status: SyncStatus): Promise<{ readonly blocksTaken: number; readonly more: boolean }> {
    const { channels, clock, cursor, submissions } = this.#parts
    const { signal } = this.#poller
    const untilMs = clock.nowMs() + MAX_STEP_MS
    let blocksTaken = 0
    for (; !submissions.full && this.#active && !signal.aborted; blocksTaken++) {
      if (blocksTaken === MAX_BLOCKS_PER_STEP || clock.nowMs() >= untilMs) return { blocksTaken, more: true }
      const block = await cursor.next(status.unsafeL2)
      if (block === null) break
      if (typeof block === 'string') {
        this.#restart(block)
        break
      }
      this.#meanBlockBytes += (block.rawBytes - this.#meanBlockBytes) * MEAN_WEIGHT
      await channels.add(block, status.headL1)
      cursor.take(block)
      if (this.#active) submissions.send(signal)
    }
    return { blocksTaken, more: false }
  }

  #noteEnd(reason: string | null): void {
    const { clock, log } = this.#parts
    if (reason !== null && this.#ended === null) log.warn('no further blocks are batched', { reason })
    this.#ended = reason === null ? null : (this.#ended ?? { sinceMs: clock.nowMs(), reason })
  }

  #backlogBytes({ unsafeL2, safeL2 }: SyncStatus): number {
    const { channels, cursor, restart, submissions } = this.#parts
    const taken = restart.reason === null ? (cursor.tip?.number ?? safeL2.number) : safeL2.number
    const waitingBytes = Math.ceil(submissions.unsettledBytes + channels.estimatedBytes)
    return waitingBytes + Math.max(0, unsafeL2.number - taken) * Math.ceil(this.#meanBlockBytes * channels.ratio)
  }

  #lostChannel(status: SyncStatus): string | null {
    const lost = this.#parts.submissions.findLost(status.currentL1.number, status.safeL2.number)
    if (lost === null) return null
    return `channel ${lost.channelId} is in L1 block ${lost.completedAt}, but its last L2 block ${lost.last.number} did not become safe`
  }

  #status(): BatcherStatus {
    const { channels, cursor, restart, submissions } = this.#parts
    return {
      active: this.#active,
      waitingFor: this.#stopped === null ? restart.reason : this.#stopped.reason,
      trouble: this.#degraded?.reason ?? submissions.sendError,
      lastBatchedBlock: cursor.tip?.number ?? null,
      pendingTransactions: submissions.pendingCount,
      placing: submissions.sending,
      lastInclusionL1Block: submissions.lastInclusion,
      channels: submissions.channels.map(({ channelId, last, completedAt }) => ({
        channelId,
        lastBlock: last.number,
        completedAtL1Block: completedAt,
      })),
      openChannel: channels.openChannel,
      waitingTransactions: submissions.waiting,
    }
  }

  async #poll(): Promise<number | undefined> {
    const { clock, log } = this.#parts
    const result = await this.step()
    if (this.#degraded !== null) log.info('batching recovered', { afterMs: clock.nowMs() - this.#degraded.sinceMs })
    this.#degraded = null
    return result.kind === 'worked' && result.more ? 0 : undefined
  }

  #degrade(error: unknown): void {
    const { clock, log, metrics } = this.#parts
    if (error instanceof BatcherError && error.severity === 'critical') throw error
    const reason = messageOf(error)
    metrics.failed()
    if (this.#degraded?.reason !== reason) log.warn('batching failed, retrying', { reason })
    this.#degraded = { sinceMs: this.#degraded?.sinceMs ?? clock.nowMs(), reason }
  }
}
