/**
 * The thread that owns the sockets of the public RPC. It answers reads by itself and forwards the other requests, so that block
 * building and import delay only those.
 */
import type { Worker } from 'node:worker_threads'
import { type LanedReads, READ_METHODS, type ReadMethod, type ReadMethods, type ReadRunner } from '@keelson/execution'
import { type Logger, messageOf } from '@keelson/primitives'
import {
  type Answerer,
  type Metrics,
  RawJson,
  type Readiness,
  RPC_ERROR_NUMBERS,
  RpcError,
  type RpcHandler,
  type Service,
} from '@keelson/runtime'
import type { CompileThread } from '../compile/compile-thread.ts'
import type { CompilerPort } from '../compile/protocol.ts'
import { startThread } from '../start-thread.ts'
import { CoreRequests, RemoteCaller } from './core-requests.ts'
import type { CoreMethods, PortData, PublicPort, RpcThreadData, SocketMethods } from './protocol.ts'
import { writeLine } from './relayed-log.ts'
import { createMetricsTaker } from './relayed-metrics.ts'
import { ThreadPeer } from './thread-peer.ts'

export interface RpcThreadDependencies {
  readonly log: Logger
  readonly metrics: Metrics
  readonly compiler: Pick<CompileThread, 'serve'> | null
}

export interface ServedMethods {
  readonly ports: readonly PortData[]
  readonly answerers: Readonly<Record<PublicPort, Answerer>>
  readonly maxNotificationBytes: number
  readonly readiness: Readiness
}

export interface PublicRpc extends Service {
  /** HTTP URLs of the ports, after the start. */
  readonly urls: readonly string[]
}

export interface RpcThread {
  /** With the limits of the public RPC. */
  readonly reads: LanedReads
  /** Without them. */
  readonly runner: ReadRunner
  serve(served: ServedMethods): PublicRpc
  close(): Promise<void>
}

const ENTRY = { bundled: 'socket-thread.js', source: new URL('./socket-thread.ts', import.meta.url) }

/** Throws RuntimeError `runtime/api-keys`. */
export async function openRpcThread(data: RpcThreadData, { log, metrics, compiler }: RpcThreadDependencies): Promise<RpcThread> {
  const worker = startThread(ENTRY, { workerData: data })
  const takeMetrics = createMetricsTaker(metrics)
  let waitingReads = 0
  let requests: CoreRequests | null = null
  let readiness: Readiness | null = null
  let closing = false
  const peer: ThreadPeer<CoreMethods, SocketMethods> = new ThreadPeer<CoreMethods, SocketMethods>(worker, {
    async answer(request, signal) {
      if (requests === null) throw new Error('the methods are not ready')
      return requests.answer(request, signal)
    },
    closed: (connection) => requests?.closed(connection),
    async report() {
      if (readiness === null) throw new Error('the checks are not ready')
      return readiness.report()
    },
    compilerFor: (id) => compiler?.serve({ postMessage: ({ port }: CompilerPort) => peer.tell('compiler', { worker: id, port }, [port]) }),
    log: (line) => writeLine(log, line),
    metrics(use) {
      waitingReads = use.waitingReads
      takeMetrics(use)
    },
  })
  const failure = watch(
    worker,
    (error) => peer.lose(error),
    () => closing,
  )
  const close = async () => {
    closing = true
    await worker.terminate()
  }
  await Promise.race([peer.call('open', null), failure]).catch(async (error: unknown) => {
    await close()
    throw error
  })

  const runner: ReadRunner = {
    threads: data.threads,
    async run(method, params, { limitMs, signal }) {
      return new RawJson(await peer.call('run', { method, params, limitMs }, signal))
    },
  }
  const handlerOf =
    (method: ReadMethod): RpcHandler =>
    async (params, { caller, signal }) => {
      const request = caller instanceof RemoteCaller ? caller.request : null
      return new RawJson(await peer.call('read', { request, method, params }, signal))
    }
  return {
    runner,
    reads: {
      methods: Object.fromEntries(READ_METHODS.map((method) => [method, handlerOf(method)])) as ReadMethods,
      waiting: () => waitingReads,
    },
    serve(served) {
      requests = new CoreRequests(served.answerers, peer, served.maxNotificationBytes)
      readiness = served.readiness
      let urls: readonly string[] = []
      return {
        name: 'RPC',
        get urls() {
          return urls
        },
        async start() {
          urls = await peer.call('listen', served.ports)
        },
        stop: () => peer.call('stop', null),
        failure,
      }
    },
    close,
  }
}

/** Rejects when the thread ends unexpectedly. */
function watch(worker: Worker, lose: (error: Error) => void, isClosing: () => boolean): Promise<never> {
  let reason: string | null = null
  worker.on('error', (error) => {
    reason ??= messageOf(error)
  })
  const failure = new Promise<never>((_, reject) => {
    worker.on('exit', (code) => {
      const error = new RpcError(RPC_ERROR_NUMBERS.server, `the thread of the public RPC ended: ${reason ?? `exit code ${code}`}`)
      lose(error)
      if (!isClosing()) reject(error)
    })
  })
  failure.catch(() => undefined)
  return failure
}
