/** The option for worker threads, and the pool it comes to. */
import { availableParallelism } from 'node:os'
import { type OptionValues, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { createRpcWorkerPool, type RpcWorkerPool, type RpcWorkerPoolDependencies } from './rpc-worker-pool.ts'

const MOST_BY_DEFAULT = 4

export const rpcWorkerOptions = {
  rpcThreads: optionalOption({
    key: 'rpc.threads',
    parse: parse.integer(0, 64),
    description:
      'Worker threads for calls, traces and log queries; 0 runs them on the main thread, where they slow block import. ' +
      'Default: one less than there are cores, 1 to 4.',
  }),
} as const

export function rpcThreads({ rpcThreads: wanted }: OptionValues<typeof rpcWorkerOptions>): number {
  return wanted ?? Math.max(1, Math.min(MOST_BY_DEFAULT, availableParallelism() - 1))
}

/** Null without threads. */
export function openRpcWorkers(threads: number, deps: RpcWorkerPoolDependencies): RpcWorkerPool | null {
  return threads === 0 ? null : createRpcWorkerPool({ threads }, deps)
}
