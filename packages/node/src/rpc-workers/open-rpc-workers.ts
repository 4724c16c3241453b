import { availableParallelism } from 'node:os'
import { type OptionValues, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { createRpcWorkerPool, type RpcWorkerPool, type RpcWorkerPoolDependencies } from './rpc-worker-pool.ts'

/** Two, so that one remains for short reads. */
const LEAST_BY_DEFAULT = 2
const MOST_BY_DEFAULT = 4

export const rpcWorkerOptions = {
  rpcThreads: optionalOption({
    key: 'rpc.threads',
    parse: parse.integer(0, 64),
    description:
      'Worker threads for calls, traces and log queries; 0 runs them on the main thread, where they slow block import. ' +
      'Default: one less than there are cores, 2 to 4; one of several takes no simulations and traces.',
  }),
} as const

export function rpcThreads({ rpcThreads: wanted }: OptionValues<typeof rpcWorkerOptions>): number {
  return wanted ?? Math.max(LEAST_BY_DEFAULT, Math.min(MOST_BY_DEFAULT, availableParallelism() - 1))
}

export function openRpcWorkers(threads: number, deps: RpcWorkerPoolDependencies): RpcWorkerPool | null {
  return threads === 0 ? null : createRpcWorkerPool({ threads }, deps)
}
