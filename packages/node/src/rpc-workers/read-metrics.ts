import type { Metrics } from '@keelson/runtime'
import type { RpcWorkerUse } from './protocol.ts'

export interface ThreadUse {
  readonly reads: { readonly size: number }
  readonly use: RpcWorkerUse
}

export function createReadMetrics(metrics: Metrics) {
  const pools: Iterable<ThreadUse>[] = []
  const gauge = (name: string, help: string, of: (thread: ThreadUse) => number) =>
    metrics.gauge(name, help, [], () => pools.flatMap((threads) => [...threads]).reduce((sum, thread) => sum + of(thread), 0))
  gauge('rpc_workers', 'Worker threads for calls, traces and log queries', () => 1)
  gauge('rpc_worker_reads', 'Reads that worker threads are at', ({ reads }) => reads.size)
  gauge('rpc_worker_snapshots', 'Snapshots of the store that worker threads had open when they last answered', ({ use }) => use.snapshots)
  gauge('rpc_worker_layer_bytes', 'Records of state layers that worker threads hold', ({ use }) => use.layerBytes)
  return {
    durations: metrics.histogram('rpc_worker_duration_seconds', 'Time of a read in a worker thread, by method', ['method']),
    restarts: metrics.counter('rpc_worker_restarts_total', 'Worker threads that ended before their time and were replaced'),
    add: (threads: Iterable<ThreadUse>) => pools.push(threads),
  }
}

export type ReadMetrics = ReturnType<typeof createReadMetrics>
