/**
 * Posts unsafe blocks to L1 in strict order. Keeps no state: when chain and sent channels disagree, it waits for all transactions
 * and restarts at the safe head. specs: protocol/batcher.md, holocene/derivation.md#batcher-hardening
 */
import { forkLimitOf, type L1ChainConfig, type RollupConfig } from '@keelson/chainspec'
import { type Clock, type Logger, type Random, type RollupApi, type SyncStatus, ZERO_HASH } from '@keelson/primitives'
import type { Metrics, RpcMethods, Service } from '@keelson/runtime'
import { createAdminMethods } from './admin-methods.ts'
import { createBlockCursor } from './block-cursor.ts'
import { createChannelQueue } from './channel-queue.ts'
import type { ChannelCompressor } from './compression.ts'
import { BatcherError } from './errors.ts'
import { createBatcherMetrics } from './metrics.ts'
import type { BatcherOptions } from './options.ts'
import type { BlockLimits, L1Prices, L1Sender, L2Blocks } from './ports.ts'
import { createSubmissions } from './submissions.ts'
import { createThrottle } from './throttle.ts'

export interface BatcherDependencies {
  readonly config: RollupConfig
  readonly l2: L2Blocks
  readonly rollup: RollupApi
  readonly sender: L1Sender
  /** Required to choose by price; without it 'auto' means blobs. */
  readonly prices: L1Prices | null
  /** Null: rules of Ethereum since Prague. */
  readonly l1Chain?: L1ChainConfig | null
  readonly compressor: ChannelCompressor
  /** Limits of the sequencer's execution client; null disables throttling. */
  readonly limits?: BlockLimits | null
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
}

export type BatcherStep =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'waiting'; readonly reason: string }
  /** The step ended before it took every block. */
  | { readonly kind: 'worked'; readonly blocksTaken: number; readonly more: boolean }

export interface BatcherTrouble {
  readonly sinceMs: number
  readonly reason: string
}

export interface Batcher extends Service {
  /** One pass, which does not wait for L1. */
  step(): Promise<BatcherStep>
  readonly methods: RpcMethods
  /** Also set when an operator stopped the batcher. */
  trouble(): BatcherTrouble | null
}

/** Limits of a step, so that the stop signal is read during a long backlog. */
const MAX_BLOCKS_PER_STEP = 500
const MAX_STEP_MS = 2000
const MEAN_WEIGHT = 0.1

export function createBatcher(options: BatcherOptions, deps: BatcherDependencies): Batcher {
  const { log, clock, rollup } = deps
  const metrics = createBatcherMetrics(deps.metrics)
  let lastIncluded: number | null = null
  const submissions = createSubmissions((l1Block) => {
    lastIncluded = l1Block
  })
  const cursor = createBlockCursor(deps.config, deps.l2)
  const queue = createChannelQueue(deps.config, options, { ...deps, l1Chain: deps.l1Chain ?? null, submissions, metrics })
  const throttle = createThrottle(options, { limits: deps.limits ?? null, clock, log, metrics })
  const limit = forkLimitOf(deps.config)
  const stopping = new AbortController()
  let loop: Promise<void> = Promise.resolve()
  let active = !options.stopped
  let stopped: BatcherTrouble | null = active ? null : stoppedBy('an option (--stopped)')
  let flush = false
  /** Mean block size before compression. */
  let meanBlockBytes = 0
  let recovered = false
  /** Highest L1 head seen at the start. */
  let firstHead: number | null = null
  /** L1 head of the sending node; null if unknown. */
  let ownHead: number | null = null
  let clearing = false
  let restart: string | null = 'started'
  let degraded: BatcherTrouble | null = null
  /** Set when all blocks before an unsupported fork are batched. */
  let ended: BatcherTrouble | null = null

  function stoppedBy(whom: string): BatcherTrouble {
    return { sinceMs: clock.nowMs(), reason: `stopped by ${whom}: no blocks are batched until admin_startBatcher` }
  }

  function beginRestart(reason: string): void {
    log.info('restarting at the safe head once all transactions are settled', { reason })
    metrics.restarted()
    restart = reason
    queue.clear()
    submissions.forget()
  }

  function consensusIsLate(head: number): boolean {
    return ownHead !== null && ownHead > head
  }

  /** Null when all transactions are settled and derived. */
  function notSettled(status: SyncStatus): string | null {
    const { pendingCount, highestInclusion } = submissions
    if (queue.placing) return 'an L1 transaction is being sent'
    if (pendingCount > 0) return `${pendingCount} L1 transactions are not settled`
    const head = status.headL1.number
    // Unknown batches of an earlier run were on L1 when this run began.
    const first = firstHead ?? head
    const wanted = Math.max(first, highestInclusion === 0 ? 0 : highestInclusion + 1)
    // L1 may not reach that height again soon.
    const needed = head < Math.max(first, highestInclusion) && !consensusIsLate(head) ? head : wanted
    if (status.currentL1.number >= needed) return null
    return `L1 is derived to block ${status.currentL1.number}, batches may be in blocks up to ${needed}`
  }

  async function recover(): Promise<void> {
    if (recovered) return
    const left = await deps.sender.recover()
    recovered = true
    for (const { receipt } of left) submissions.watch(receipt)
    if (left.length > 0) log.info('waiting for transactions of the last run', { count: left.length })
  }

  function noteEnd(reason: string | null): void {
    if (reason !== null && ended === null) log.warn('no further blocks are batched', { reason })
    ended = reason === null ? null : (ended ?? { sinceMs: clock.nowMs(), reason })
  }

  async function takeBlocks(status: SyncStatus): Promise<{ readonly blocksTaken: number; readonly more: boolean }> {
    const untilMs = clock.nowMs() + MAX_STEP_MS
    let blocksTaken = 0
    for (; !queue.full && active && !stopping.signal.aborted; blocksTaken++) {
      if (blocksTaken === MAX_BLOCKS_PER_STEP || clock.nowMs() >= untilMs) return { blocksTaken, more: true }
      const block = await cursor.next(status.unsafeL2)
      if (block === null) break
      if (typeof block === 'string') {
        beginRestart(block)
        break
      }
      meanBlockBytes += (block.rawBytes - meanBlockBytes) * MEAN_WEIGHT
      await queue.add(block, status.headL1)
      cursor.take(block)
      // Later channels are still being compressed.
      if (active) queue.send(stopping.signal)
    }
    return { blocksTaken, more: false }
  }

  async function step(): Promise<BatcherStep> {
    if (clearing) queue.clear()
    clearing = false
    if (!active) return { kind: 'stopped' }
    await recover()
    const status = await rollup.syncStatus()
    if (status.safeL2.hash === ZERO_HASH || status.headL1.hash === ZERO_HASH) {
      return { kind: 'waiting', reason: 'the consensus client does not know its heads yet' }
    }
    metrics.status(status, cursor.tip?.number ?? null)
    metrics.pending(submissions.pendingCount)
    metrics.inclusion(status.headL1.number, lastIncluded)
    if (restart === null) {
      const reason = submissions.takeFailure() ?? cursor.check(status) ?? lostChannel(status)
      if (reason !== null) beginRestart(reason)
    }
    if (restart !== null) {
      ownHead = (await deps.prices?.headNumber?.()) ?? null
      firstHead ??= Math.max(status.headL1.number, ownHead ?? 0)
      const reason = notSettled(status)
      if (reason !== null) {
        // there the consensus client reads L1 no further either, so this wait ends with another release
        noteEnd(limit?.isLast(status.unsafeL2.timestampSec) ? limit.sentence : null)
        await throttle.update(backlogBytes(status))
        return { kind: 'waiting', reason }
      }
      submissions.takeFailure()
      cursor.restart(status.safeL2)
      restart = null
      log.info('batching', { from: status.safeL2.number + 1, unsafe: status.unsafeL2.number })
    }
    submissions.prune(status.safeL2.number)
    const { blocksTaken, more } = await takeBlocks(status)
    noteEnd(cursor.end)
    await queue.closeIfDue(status.headL1, flush)
    flush = false
    if (active) queue.send(stopping.signal)
    await throttle.update(backlogBytes(status))
    return { kind: 'worked', blocksTaken, more }
  }

  /** Blocks not yet taken count by mean size. */
  function backlogBytes({ unsafeL2, safeL2 }: SyncStatus): number {
    const taken = restart === null ? (cursor.tip?.number ?? safeL2.number) : safeL2.number
    return queue.waitingBytes + Math.max(0, unsafeL2.number - taken) * Math.ceil(meanBlockBytes * queue.ratio)
  }

  function lostChannel(status: SyncStatus): string | null {
    const lost = submissions.findLost(status.currentL1.number, status.safeL2.number)
    if (lost === null) return null
    return `channel ${lost.channelId} is in L1 block ${lost.completedAt}, but its last L2 block ${lost.last.number} did not become safe`
  }

  async function stepOnce(): Promise<boolean> {
    try {
      const result = await step()
      if (degraded !== null) log.info('batching recovered', { afterMs: clock.nowMs() - degraded.sinceMs })
      degraded = null
      return result.kind === 'worked' && result.more
    } catch (error) {
      if (stopping.signal.aborted) return false
      if (error instanceof BatcherError && error.severity === 'critical') throw error
      const reason = error instanceof Error ? error.message : String(error)
      metrics.failed()
      if (degraded?.reason !== reason) log.warn('batching failed, retrying', { reason })
      degraded = { sinceMs: degraded?.sinceMs ?? clock.nowMs(), reason }
      return false
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      if (!(await stepOnce())) await clock.sleep(options.pollIntervalMs, stopping.signal).catch(() => undefined)
    }
  }

  let fail: (error: unknown) => void = () => undefined
  const failure = new Promise<never>((_, reject) => {
    fail = reject
  })
  // Tests that only step do not handle it.
  failure.catch(() => undefined)

  return {
    name: 'batcher',
    step,
    failure,
    trouble() {
      if (stopped !== null) return stopped
      if (degraded !== null || queue.held === null) return degraded ?? ended
      return { sinceMs: clock.nowMs(), reason: queue.held }
    },
    methods: createAdminMethods({
      get active() {
        return active
      },
      start() {
        if (!active) beginRestart('started by an operator')
        active = true
        stopped = null
      },
      stop() {
        if (active) log.info('stopped by an operator; sent transactions still settle')
        stopped ??= stoppedBy('an operator (admin_stopBatcher)')
        active = false
        clearing = true
      },
      flush() {
        if (active) flush = true
        return active
      },
      throttle,
      throttleOptions: options,
      status: () => ({
        active,
        waitingFor: stopped === null ? restart : stopped.reason,
        trouble: degraded?.reason ?? queue.held,
        lastBatchedBlock: cursor.tip?.number ?? null,
        pendingTransactions: submissions.pendingCount,
        placing: queue.placing,
        lastInclusionL1Block: lastIncluded,
        channels: submissions.channels.map(({ channelId, last, completedAt }) => ({
          channelId,
          lastBlock: last.number,
          completedAtL1Block: completedAt,
        })),
        ...queue.state(),
      }),
    }),
    async start() {
      loop = run().catch(fail)
    },
    async stop() {
      stopping.abort()
      await loop
    },
  }
}
