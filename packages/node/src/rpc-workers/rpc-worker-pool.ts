/** A thread that dies or misses a deadline fails its reads and is replaced. */
import type { Worker } from 'node:worker_threads'
import { isLongRead, type ReadMethod } from '@keelson/execution'
import type { Logger } from '@keelson/primitives'
import { RawJson, RPC_ERROR_NUMBERS, RpcError } from '@keelson/runtime'
import { startThread } from '../start-thread.ts'
import type { PacedWorkerData, RpcWorkerData, RpcWorkerPace, RpcWorkerRequest, RpcWorkerResponse, RpcWorkerUse } from './protocol.ts'
import type { ReadMetrics } from './read-metrics.ts'
import { LongReadError, type LongReadRunner, type ShortReadRunner } from './short-reads.ts'
import { startThreadDeadline, type ThreadDeadline } from './thread-deadline.ts'
import { threadTimeMs } from './thread-time.ts'

export interface RpcWorkerPoolOptions {
  readonly threads: number
  /** Default: lowest priority, no limit. */
  readonly pace?: RpcWorkerPace
  /** Time for a read to notice its deadline or abort. */
  readonly graceMs?: number
}

export interface RpcWorkerPoolDependencies {
  readonly data: RpcWorkerData
  revision(): number
  readonly log: Logger
  readonly metrics: ReadMetrics
  started?(thread: Worker): void
}

export interface RpcWorkerPool extends ShortReadRunner, LongReadRunner {
  close(): Promise<void>
}

interface Read {
  begin(): void
  /** `readMs` is null if the thread ended first. */
  settle(outcome: RawJson | Error, readMs: number | null): void
}

interface Thread {
  readonly worker: Worker
  readonly reads: Map<number, Read>
  readonly forShortReads: boolean
  ready: boolean
  ranMs(): number | null
  use: RpcWorkerUse
  failure: string | null
}

const ENTRY = { bundled: 'rpc-worker.js', source: new URL('./rpc-worker.ts', import.meta.url) }
const DEFAULT_GRACE_MS = 5_000
const START_LIMIT_MS = 60_000
/** Most reads end within this time. */
const SHORT_READ_MS = 50
/** Delay after a thread died before it was ready. */
const RETRY_START_AFTER_MS = 1_000
/** Excludes buffers. A thread that exceeds it ends; the process continues. */
const MAX_HEAP_MIB = 1_024
/** About 1.5% of a core beside a busy main thread; sched(7). */
const LOWEST_PRIORITY: RpcWorkerPace = { niceness: 19, maxReadMs: null }
const NO_USE: RpcWorkerUse = { snapshots: 0, layerBytes: 0 }

export function createRpcWorkerPool(options: RpcWorkerPoolOptions, deps: RpcWorkerPoolDependencies): RpcWorkerPool {
  const { log, metrics } = deps
  const workerData: PacedWorkerData = { ...deps.data, pace: options.pace ?? LOWEST_PRIORITY }
  const graceMs = options.graceMs ?? DEFAULT_GRACE_MS
  const threads = new Set<Thread>()
  metrics.add(threads)
  let nextId = 0
  let closed = false
  let startAgainAtMs = 0

  function start(forShortReads: boolean): Thread {
    if (performance.now() < startAgainAtMs) throw unavailable('no worker thread can be started; see the log')
    const worker = startThread(ENTRY, { workerData, resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB } })
    const thread: Thread = { worker, reads: new Map(), forShortReads, ready: false, ranMs: () => null, use: NO_USE, failure: null }
    threads.add(thread)
    worker.unref()
    deps.started?.(worker)
    worker.on('message', (response: RpcWorkerResponse) => receive(thread, response))
    worker.on('error', (error) => {
      thread.failure ??= error.message
    })
    worker.on('exit', (code) => ended(thread, thread.failure ?? `exit code ${code}`))
    return thread
  }

  function receive(thread: Thread, response: RpcWorkerResponse): void {
    if (response.kind === 'ready') {
      thread.ready = true
      thread.ranMs = () => threadTimeMs(response.thread)
      return
    }
    if (response.kind === 'began') {
      thread.reads.get(response.id)?.begin()
      return
    }
    thread.use = response.use
    const read = thread.reads.get(response.id)
    thread.reads.delete(response.id)
    read?.settle(outcomeOf(response), response.readMs)
  }

  function ended(thread: Thread, reason: string): void {
    if (!threads.delete(thread) || closed) return
    metrics.restarts.inc()
    if (!thread.ready) startAgainAtMs = performance.now() + RETRY_START_AFTER_MS
    log.error('a worker thread for RPC ended and is replaced; what it was at was answered with an error', {
      reason,
      reads: thread.reads.size,
    })
    const error = unavailable('the call was lost when its worker thread ended; try again')
    for (const read of thread.reads.values()) read.settle(error, null)
    thread.reads.clear()
  }

  /** Keeps a thread free for short reads. */
  function pick(method: ReadMethod): Thread {
    const keepsOne = options.threads > 1
    const isLong = keepsOne && isLongRead(method)
    const usable = [...threads].filter(({ failure, forShortReads }) => failure === null && !(isLong && forShortReads))
    const best = usable.reduce<Thread | null>(
      (least, thread) => (least === null || thread.reads.size < least.reads.size ? thread : least),
      null,
    )
    if (best !== null && best.reads.size === 0) return best
    const hasKept = [...threads].some(({ forShortReads }) => forShortReads)
    const others = threads.size - (hasKept ? 1 : 0)
    const mayStart = isLong ? others < options.threads - 1 : threads.size < options.threads
    if (best !== null && !mayStart) return best
    return start(keepsOne && !isLong && !hasKept)
  }

  return {
    threads: options.threads,
    get reads() {
      return [...threads].reduce((sum, { reads }) => sum + reads.size, 0)
    },
    get isIdle() {
      return [...threads].some(({ ready, failure, reads }) => ready && failure === null && reads.size === 0)
    },
    async run(method, params, { limitMs, signal, took }) {
      if (closed) throw unavailable('the node is stopping')
      signal.throwIfAborted()
      const thread = pick(method)
      const { worker, reads } = thread
      const id = nextId++
      const post = (request: RpcWorkerRequest) => worker.postMessage(request)
      const beganMs = performance.now()
      return new Promise<RawJson>((resolve, reject) => {
        let deadline: ThreadDeadline | undefined
        let begun = false
        const allow = (ms: number) => {
          deadline?.clear()
          const expired = () => {
            thread.failure ??= `${method} did not end in time`
            void worker.terminate()
          }
          deadline = startThreadDeadline(ms, thread.ranMs, expired, SHORT_READ_MS)
        }
        const cancel = () => {
          post({ kind: 'cancel', id })
          if (begun) allow(graceMs)
        }
        const read: Read = {
          begin() {
            begun = true
            allow(signal.aborted ? graceMs : limitMs + graceMs)
          },
          settle(outcome, readMs) {
            took?.(readMs ?? (begun ? performance.now() - beganMs : 0))
            deadline?.clear()
            signal.removeEventListener('abort', cancel)
            metrics.durations.observe((performance.now() - beganMs) / 1000, { method })
            if (outcome instanceof RawJson) resolve(outcome)
            else reject(signal.aborted ? signal.reason : outcome)
          },
        }
        reads.set(id, read)
        allow(START_LIMIT_MS)
        signal.addEventListener('abort', cancel, { once: true })
        post({ kind: 'run', id, method, params, revision: deps.revision() })
      })
    },
    async close() {
      closed = true
      const error = unavailable('the node is stopping')
      const all = [...threads]
      threads.clear()
      for (const { reads } of all) {
        for (const read of reads.values()) read.settle(error, null)
        reads.clear()
      }
      await Promise.all(all.map(({ worker }) => worker.terminate()))
    },
  }
}

function outcomeOf(response: Extract<RpcWorkerResponse, { kind: 'done' | 'failed' | 'long' }>): RawJson | Error {
  if (response.kind === 'done') return new RawJson(response.text)
  if (response.kind === 'long') return new LongReadError('the read is long')
  const { number, message, data, inner } = response
  return new RpcError(number, message, data, inner === null ? {} : { cause: inner })
}

function unavailable(message: string): RpcError {
  return new RpcError(RPC_ERROR_NUMBERS.server, message)
}
