/** A reported state moves backwards only when a chain reorganizes. */
import type { Clock, Hash, Logger } from '@keelson/primitives'
import { createPoller, type KeyValueStore, type Metrics, type Poller, type Service, withDeadline } from '@keelson/runtime'
import { ChainQueries } from './chain-queries.ts'
import type { BridgeSenders } from './deposit-facts.ts'
import { createL1Indexer, type L1Indexer } from './l1-indexer.ts'
import { needsL1 } from './l1-lookup.ts'
import { canMove } from './l2-refresh.ts'
import type { BridgeL1, BridgeL2 } from './ports.ts'
import { openRecordStore, type RecordStore } from './record-store.ts'
import { Refresher } from './refresher.ts'
import { createSilence } from './silence.ts'
import { createStatusMetrics, type StatusMetrics } from './status-metrics.ts'
import { STUCK_AFTER_MS, type StatusView, statusView } from './status-view.ts'
import { Upstream } from './upstream.ts'

export interface BridgeStatusOptions {
  readonly startBlock: number
  readonly senders: BridgeSenders
  readonly pollIntervalMs: number
  readonly pageBlocks: number
  readonly retentionMs: number
}

export interface BridgeStatusDependencies {
  readonly l1: BridgeL1
  readonly l2: BridgeL2
  readonly store: KeyValueStore
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
}

export type StatusAnswer =
  | { readonly kind: 'found'; readonly status: StatusView }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unavailable'; readonly reason: string }

export interface BridgeStatus extends Service {
  step(): Promise<number>
  status(txHash: Hash): Promise<StatusAnswer>
  trouble(): { readonly reason: string } | null
  readonly lagBlocks: number
}

const WAIT_FOR_CHAINS_MS = 3_000
const OPEN_PER_STEP = 200
const MAX_OPEN_COUNTED = 10_000
const PAGES_PER_STEP = 20
const BLOCKS_PER_STEP = 64
const PRUNED_AT_ONCE = 500
const PRUNE_EVERY_MS = 60_000
const POOL_RETENTION_MS = 24 * 3_600_000
const MAX_POOL_RECORDS = 5_000
/** Limits these records, because callers may ask about any L1 transaction. */
const MAX_REFUSED_RECORDS = 20_000
const BUSY = 'L1 and L2 have not responded yet; this is the last known state'
const SILENT_AFTER_MS = 10_000

interface Upstreams {
  readonly l1: Upstream
  readonly l2: Upstream
  readonly index: Upstream
}

interface Parts {
  readonly records: RecordStore
  readonly indexer: L1Indexer
  readonly queries: ChainQueries
  readonly refresher: Refresher
  readonly upstreams: Upstreams
  readonly metrics: StatusMetrics
  readonly clock: Clock
  readonly log: Logger
}

export async function createBridgeStatus(options: BridgeStatusOptions, deps: BridgeStatusDependencies): Promise<BridgeStatus> {
  const { clock } = deps
  const { startBlock, senders, pageBlocks } = options
  const log = deps.log.child('bridge')
  const silence = { l1: createSilence(clock), l2: createSilence(clock) }
  const l1 = silence.l1.watch(deps.l1)
  const l2 = silence.l2.watch(deps.l2)
  const records = await openRecordStore(deps.store)
  const limits = { startBlock, senders, pageBlocks, pagesPerStep: PAGES_PER_STEP, blocksPerStep: BLOCKS_PER_STEP }
  const indexer = createL1Indexer(limits, { l1, records, clock, log })
  const upstreams = {
    l1: new Upstream('L1', clock, silence.l1.silentMs),
    l2: new Upstream('L2', clock, silence.l2.silentMs),
    index: new Upstream('L1, for the index,', clock),
  }
  const metrics = createStatusMetrics(deps.metrics, () => lagBlocksOf(indexer, records))
  const queries = new ChainQueries({ l1, l2, upstreams, senders, records, metrics, clock, log })
  const refresher = new Refresher({ queries, records, clock })
  return new BridgeStatusService(options, { records, indexer, queries, refresher, upstreams, metrics, clock, log })
}

class BridgeStatusService implements BridgeStatus {
  readonly name = 'bridge status'
  readonly failure: Promise<never>
  readonly #options: BridgeStatusOptions
  readonly #parts: Parts
  readonly #poller: Poller
  #prunedMs = 0

  constructor(options: BridgeStatusOptions, parts: Parts) {
    this.#options = options
    this.#parts = parts
    this.#poller = createPoller(() => this.step(), { clock: parts.clock, intervalMs: options.pollIntervalMs })
    this.failure = this.#poller.failure
  }

  get lagBlocks(): number {
    return lagBlocksOf(this.#parts.indexer, this.#parts.records)
  }

  async start(): Promise<void> {
    this.#poller.start()
  }

  async stop(): Promise<void> {
    await this.#poller.stop()
    await this.#parts.refresher.idle()
  }

  trouble(): { readonly reason: string } | null {
    const silent = Object.values(this.#parts.upstreams).find(({ silentMs }) => silentMs >= SILENT_AFTER_MS)
    return silent === undefined ? null : { reason: silent.trouble as string }
  }

  async status(txHash: Hash): Promise<StatusAnswer> {
    const { clock, indexer, queries, records, refresher, upstreams } = this.#parts
    const run = refresher.refresh(txHash)
    if (run === null && records.get(txHash) === null) return { kind: 'unavailable', reason: 'too many requests' }
    const answered = run === null ? null : await (records.get(txHash) === null ? run : this.#inTime(run))
    const record = records.get(txHash)
    if (record === null) {
      return answered === true ? { kind: 'unknown' } : { kind: 'unavailable', reason: upstreams.l1.trouble ?? 'L1 is unavailable' }
    }
    const stale = upstreams.l1.trouble ?? upstreams.index.trouble ?? upstreams.l2.trouble ?? (answered === null ? BUSY : null)
    const context = {
      nowMs: clock.nowMs(),
      l1Head: indexer.head?.number ?? null,
      l1Finalized: indexer.finalized?.number ?? null,
      snapshot: queries.snapshot,
      estimatedMs: queries.completionMs(record, indexer.blockTimeSec),
      stale: canMove(record) || record.block === null ? stale : null,
    }
    return { kind: 'found', status: statusView(record, context) }
  }

  async step(): Promise<number> {
    const { clock, indexer, log, metrics, queries, records, upstreams } = this.#parts
    let more = false
    const l1Answered = await upstreams.index.ask(async () => {
      more = await indexer.step()
    })
    if (l1Answered) upstreams.l1.answered()
    const open = await records.nextOpen(OPEN_PER_STEP)
    for (const { txHash } of open.filter((record) => needsL1(record, records))) await queries.askL1(txHash)
    await queries.askL2(open.map(({ txHash }) => txHash))
    const nowMs = clock.nowMs()
    await this.#prune(nowMs)
    const stuck = open.filter(({ submittedMs }) => nowMs - submittedMs >= STUCK_AFTER_MS)
    metrics.open(await records.countOpen(MAX_OPEN_COUNTED), stuck.length)
    for (const upstream of Object.values(upstreams)) upstream.report(log)
    return more && upstreams.index.trouble === null ? 0 : this.#options.pollIntervalMs
  }

  async #prune(nowMs: number): Promise<void> {
    if (nowMs - this.#prunedMs < PRUNE_EVERY_MS) return
    const deleted = await this.#parts.records.prune({
      blocksBeforeSec: (nowMs - this.#options.retentionMs) / 1000,
      poolBeforeMs: nowMs - POOL_RETENTION_MS,
      maxPool: MAX_POOL_RECORDS,
      maxRefused: MAX_REFUSED_RECORDS,
      limit: PRUNED_AT_ONCE,
    })
    if (deleted < PRUNED_AT_ONCE) this.#prunedMs = nowMs
  }

  #inTime(run: Promise<boolean>): Promise<boolean | null> {
    return withDeadline(run, { clock: this.#parts.clock, ms: WAIT_FOR_CHAINS_MS, onTimeout: () => null })
  }
}

function lagBlocksOf(indexer: L1Indexer, records: RecordStore): number {
  return Math.max(0, (indexer.head?.number ?? 0) - (records.cursor?.number ?? 0))
}
