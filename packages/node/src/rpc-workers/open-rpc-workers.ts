import { availableParallelism, loadavg } from 'node:os'
import type { ReadRunner } from '@keelson/execution'
import { type Metrics, type OptionValues, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { AnswerCache } from './answer-cache.ts'
import { ClientShares } from './client-shares.ts'
import { createReadMetrics } from './read-metrics.ts'
import { createRpcWorkerPool, type RpcWorkerPoolDependencies } from './rpc-worker-pool.ts'
import { ShortReads } from './short-reads.ts'

/** One remains for short reads. */
const LEAST_BY_DEFAULT = 2
const MOST_BY_DEFAULT = 4

export const rpcWorkerOptions = {
  rpcThreads: optionalOption({
    key: 'rpc.threads',
    parse: parse.integer(0, 64),
    description:
      'Worker threads for calls, traces and log queries; 0 runs them and the sockets on the main thread, where they slow block import. ' +
      'Default: one less than there are cores, 2 to 4; one of several takes no simulations and traces. ' +
      'One more thread, of ordinary priority, takes short calls and log queries, another the sockets and short reads.',
  }),
} as const

export function rpcThreads({ rpcThreads: wanted }: OptionValues<typeof rpcWorkerOptions>): number {
  return wanted ?? Math.max(LEAST_BY_DEFAULT, Math.min(MOST_BY_DEFAULT, availableParallelism() - 1))
}

export interface RpcWorkers extends ReadRunner {
  close(): Promise<void>
}

export interface RpcWorkersDependencies extends Omit<RpcWorkerPoolDependencies, 'metrics'> {
  readonly metrics: Metrics
}

const SHORT_READ_MS = 25
/** Share of all processors for short reads at ordinary priority. */
const SHORT_READS_SHARE = 0.25
const SHORT_READS_BURST_MS = 250

export function openRpcWorkers(threads: number, { metrics, ...deps }: RpcWorkersDependencies): RpcWorkers | null {
  if (threads === 0) return null
  const shared = { ...deps, metrics: createReadMetrics(metrics) }
  const others = createRpcWorkerPool({ threads }, shared)
  const short = createRpcWorkerPool({ threads: 1, pace: { niceness: 0, maxReadMs: SHORT_READ_MS } }, shared)
  const share = Math.min(1, SHORT_READS_SHARE * availableParallelism())
  const shares = new ClientShares({ share, burstMs: SHORT_READS_BURST_MS }, () => performance.now())
  const isMachineBusy = () => (loadavg()[0] ?? 0) >= availableParallelism()
  const cache = new AnswerCache(new ShortReads(short, others, shares, isMachineBusy), deps.revision)
  return {
    threads,
    run: (...read) => cache.run(...read),
    async close() {
      await Promise.all([short.close(), others.close()])
    },
  }
}
