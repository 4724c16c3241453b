/** Indexes L1 and reports the state of transactions, which moves backwards only when a chain reorganizes. */
import type { Clock, Hash, Logger } from '@keelson/primitives'
import type { KeyValueStore, Metrics, Service } from '@keelson/runtime'
import type { BridgeSenders } from './deposit-facts.ts'
import { createEstimator } from './estimate.ts'
import { createL1Indexer } from './l1-indexer.ts'
import { lookUpOnL1, needsL1 } from './l1-lookup.ts'
import { canMove, refreshFromL2 } from './l2-refresh.ts'
import type { BridgeL1, BridgeL2, L2Snapshot } from './ports.ts'
import { createQueryQueue, createSharedQuery } from './query-queue.ts'
import { stateOfRecord } from './record.ts'
import { openRecordStore, type RecordStore } from './record-store.ts'
import { createSilence } from './silence.ts'
import { STUCK_AFTER_MS, type StatusView, statusView } from './status-view.ts'

export interface BridgeStatusOptions {
  readonly startBlock: number
  readonly senders: BridgeSenders
  readonly pollIntervalMs: number
  readonly pageBlocks: number
  /** Older transactions are looked up on L1. */
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
  /** Returns the delay until the next step in milliseconds. */
  step(): Promise<number>
  status(txHash: Hash): Promise<StatusAnswer>
  /** Returns null when the service is healthy. */
  trouble(): { readonly reason: string } | null
  readonly lagBlocks: number
}

const FRESH_MS = 1_000
const MAX_REMEMBERED = 10_000
const MAX_UNDER_WAY = 2_000
const LOOKUPS_AT_ONCE = 16
const ASKED_TOGETHER = 200
/** After this wait the last known state is returned. */
const WAIT_FOR_CHAINS_MS = 3_000
const OPEN_PER_STEP = 200
const PAGES_PER_STEP = 20
const BLOCKS_PER_STEP = 64
const PRUNED_AT_ONCE = 500
const PRUNE_EVERY_MS = 60_000
const POOL_RETENTION_MS = 24 * 3_600_000
const MAX_POOL_RECORDS = 5_000
/** Callers may ask about any L1 transaction. */
const MAX_REFUSED_RECORDS = 20_000
const SLOW_SEC = 5
const BUSY = 'L1 and L2 have not responded yet; this is the last known state'
/** Silence of an upstream after which the service is not ready. */
const SILENT_AFTER_MS = 10_000

export async function createBridgeStatus(options: BridgeStatusOptions, deps: BridgeStatusDependencies): Promise<BridgeStatus> {
  const { clock, metrics } = deps
  const silence = { l1: createSilence(clock), l2: createSilence(clock) }
  const [l1, l2] = [silence.l1.watch(deps.l1), silence.l2.watch(deps.l2)]
  const log = deps.log.child('bridge')
  const records = await openRecordStore(deps.store)
  const { senders } = options
  const indexer = createL1Indexer(
    {
      startBlock: options.startBlock,
      senders,
      pageBlocks: options.pageBlocks,
      pagesPerStep: PAGES_PER_STEP,
      blocksPerStep: BLOCKS_PER_STEP,
    },
    { l1, records, log },
  )
  const estimator = createEstimator(clock.nowMs)
  let snapshot: L2Snapshot | null = null
  let prunedMs = 0
  const upstreams = {
    l1: createUpstream('L1', clock, silence.l1.silentMs),
    l2: createUpstream('L2', clock, silence.l2.silentMs),
    index: createUpstream('L1, for the index,', clock),
  }
  const meters = createMeters(metrics, () => lagBlocks())

  const lagBlocks = () => Math.max(0, (indexer.head?.number ?? 0) - (records.cursor?.number ?? 0))
  const onSnapshot = (seen: L2Snapshot) => {
    snapshot = seen
    estimator.note(seen)
  }
  const askL1 = (txHash: Hash) => upstreams.l1.ask(() => lookUpOnL1(txHash, { l1, records, senders, nowMs: clock.nowMs, log }))
  const askL2 = (txHashes: readonly Hash[]) =>
    upstreams.l2.ask(async () => {
      const before = txHashes.map((txHash) => settled(records, txHash))
      await refreshFromL2(txHashes, { l2, records, log, onSnapshot })
      txHashes.forEach((txHash, i) => {
        const record = records.get(txHash)
        if (record === null || before[i] === true || !settled(records, txHash)) return
        meters.settled(stateOfRecord(record), (clock.nowMs() - record.submittedMs) / 1000)
      })
    })

  const asked = new Map<Hash, number>()
  const underWay = new Map<Hash, Promise<boolean>>()
  const remember = (txHash: Hash) => {
    asked.delete(txHash)
    asked.set(txHash, clock.monotonicMs())
    if (asked.size > MAX_REMEMBERED) asked.delete(asked.keys().next().value as Hash)
  }
  const lookUps = createQueryQueue({ atOnce: LOOKUPS_AT_ONCE, maxWaiting: MAX_UNDER_WAY })
  const askL2With = createSharedQuery(askL2, ASKED_TOGETHER)
  const refresh = async (txHash: Hash): Promise<boolean> => {
    const l1Answered = !needsL1(records.get(txHash), records) || ((await lookUps.run(() => askL1(txHash))) ?? false)
    const record = records.get(txHash)
    return (record === null || !canMove(record) || (await askL2With(txHash))) && l1Answered
  }
  /** Returns null on timeout; the refresh continues. */
  const inTime = async (run: Promise<boolean>): Promise<boolean | null> => {
    const timer = new AbortController()
    const over = clock.sleep(WAIT_FOR_CHAINS_MS, timer.signal).then(
      () => null,
      () => null,
    )
    return Promise.race([run, over]).finally(() => timer.abort())
  }
  /** Null when there are too many requests. */
  const refreshed = (txHash: Hash): Promise<boolean> | null => {
    const running = underWay.get(txHash)
    if (running !== undefined) return running
    if (clock.monotonicMs() - (asked.get(txHash) ?? Number.NEGATIVE_INFINITY) < FRESH_MS) return Promise.resolve(true)
    if (underWay.size >= MAX_UNDER_WAY) return null
    const run = refresh(txHash)
      .then((answered) => {
        if (answered) remember(txHash)
        return answered
      })
      .finally(() => underWay.delete(txHash))
    underWay.set(txHash, run)
    return run
  }

  const stopping = new AbortController()
  let loop: Promise<void> = Promise.resolve()
  let fail: (error: unknown) => void = () => undefined
  const failure = new Promise<never>((_, reject) => {
    fail = reject
  })
  failure.catch(() => undefined)

  const service: BridgeStatus = {
    name: 'bridge status',
    failure,
    get lagBlocks() {
      return lagBlocks()
    },
    async status(txHash) {
      const run = refreshed(txHash)
      if (run === null && records.get(txHash) === null) return { kind: 'unavailable', reason: 'too many requests' }
      const answered = run === null ? null : await (records.get(txHash) === null ? run : inTime(run))
      const record = records.get(txHash)
      const stale =
        [upstreams.l1, upstreams.index, upstreams.l2].map(({ trouble }) => trouble()).find((text) => text !== null) ??
        (answered === null ? BUSY : null)
      if (record === null) {
        return answered === true ? { kind: 'unknown' } : { kind: 'unavailable', reason: upstreams.l1.trouble() ?? 'L1 is unavailable' }
      }
      const context = {
        nowMs: clock.nowMs(),
        l1Head: indexer.head?.number ?? null,
        l1Finalized: indexer.finalized?.number ?? null,
        snapshot,
        estimatedMs: estimator.completionMs(record, indexer.blockTimeSec),
        stale: canMove(record) || record.block === null ? stale : null,
      }
      return { kind: 'found', status: statusView(record, context) }
    },
    async step() {
      let more = false
      const l1Answered = await upstreams.index.ask(async () => {
        more = await indexer.step()
      })
      if (l1Answered) upstreams.l1.answered()
      const open = await records.nextOpen(OPEN_PER_STEP)
      for (const { txHash } of open.filter((record) => needsL1(record, records))) await askL1(txHash)
      await askL2(open.map(({ txHash }) => txHash))
      const nowMs = clock.nowMs()
      if (nowMs - prunedMs >= PRUNE_EVERY_MS) {
        const blocksBeforeSec = (nowMs - options.retentionMs) / 1000
        const limits = {
          poolBeforeMs: nowMs - POOL_RETENTION_MS,
          maxPool: MAX_POOL_RECORDS,
          maxRefused: MAX_REFUSED_RECORDS,
          limit: PRUNED_AT_ONCE,
        }
        // A full page means that there may be more.
        if ((await records.prune({ blocksBeforeSec, ...limits })) < PRUNED_AT_ONCE) prunedMs = nowMs
      }
      meters.open(await records.countOpen(MAX_REMEMBERED), open.filter(({ submittedMs }) => nowMs - submittedMs >= STUCK_AFTER_MS).length)
      for (const upstream of Object.values(upstreams)) upstream.say(log)
      return more && upstreams.index.trouble() === null ? 0 : options.pollIntervalMs
    },
    trouble() {
      const silent = Object.values(upstreams).find(({ silentMs }) => silentMs() >= SILENT_AFTER_MS)
      return silent === undefined ? null : { reason: silent.trouble() as string }
    },
    async start() {
      loop = (async () => {
        while (!stopping.signal.aborted) {
          const waitMs = await service.step()
          await clock.sleep(waitMs, stopping.signal).catch(() => undefined)
        }
      })().catch(fail)
    },
    async stop() {
      stopping.abort()
      await loop
      await Promise.allSettled(underWay.values())
    },
  }
  return service
}

function settled(records: RecordStore, txHash: Hash): boolean {
  const record = records.get(txHash)
  return record !== null && ['complete', 'failed'].includes(stateOfRecord(record))
}

function createUpstream(name: string, clock: Clock, unansweredMs: () => number = () => 0) {
  let failedSinceMs: number | null = null
  let why = ''
  let said = false
  const upstream = {
    /** Returns true if the upstream responded. */
    async ask(question: () => Promise<void>): Promise<boolean> {
      try {
        await question()
        upstream.answered()
        return true
      } catch (error) {
        if (!isUpstreamError(error)) throw error
        failedSinceMs ??= clock.nowMs()
        why = (error as Error).message
        return false
      }
    },
    answered(): void {
      failedSinceMs = null
    },
    silentMs: () => Math.max(failedSinceMs === null ? 0 : clock.nowMs() - failedSinceMs, unansweredMs()),
    trouble: (): string | null => {
      if (failedSinceMs !== null) return `${name} is unavailable since ${new Date(failedSinceMs).toISOString().slice(0, 19)}Z`
      const seconds = Math.floor(unansweredMs() / 1000)
      return seconds < SLOW_SEC ? null : `${name} has not responded for ${seconds} s`
    },
    say(log: Logger) {
      if (failedSinceMs !== null && !said)
        log.warn(`${name} is unavailable`, { reason: why, remedy: 'check its URL and that it runs; work resumes automatically' })
      if (failedSinceMs === null && said) log.info(`${name} is available again`)
      said = failedSinceMs !== null
    },
  }
  return upstream
}

function isUpstreamError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('client/')
}

function createMeters(metrics: Metrics, lagBlocks: () => number) {
  metrics.gauge('index_lag_blocks', 'L1 blocks between the index and the head of L1', [], lagBlocks)
  const open = metrics.gauge('deposits_open', 'L1 transactions with deposits that are not final on L2')
  const stuck = metrics.gauge('deposits_stuck', 'Recently checked deposits that have been open for 30 minutes')
  const count = metrics.counter('deposits_settled', 'L1 transactions whose deposits are settled', ['state'])
  const seconds = metrics.histogram(
    'deposit_seconds',
    'From the L1 block to the state complete or failed, in seconds',
    [],
    [5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600],
  )
  return {
    open(openCount: number, stuckCount: number) {
      open.set(openCount)
      stuck.set(stuckCount)
    },
    settled(state: string, elapsedSec: number) {
      count.inc(1, { state })
      seconds.observe(elapsedSec)
    },
  }
}
