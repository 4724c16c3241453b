/** Methods that read the chain at one point in time, so another thread can run them on a snapshot. */

import { RPC_ERROR_NUMBERS, RpcError, type RpcHandler, type RpcMethods } from '@keelson/runtime'
import type { RpcOptions } from '../options.ts'
import type { PendingBlock } from '../subblocks/pending-block.ts'
import { pendingMethods } from '../subblocks/pending-methods.ts'
import { storageRangeMethod } from './debug/storage-range.ts'
import { traceMethods } from './debug/trace-methods.ts'
import { witnessMethods } from './debug/witness-methods.ts'
import { callMethods } from './eth/call-methods.ts'
import { blockReceiptsMethod } from './eth/chain-methods.ts'
import { feeHistoryMethod } from './eth/fee-methods.ts'
import { logMethods } from './eth/log-methods.ts'
import { proofMethods } from './eth/proof-methods.ts'
import { simulateMethods } from './eth/simulate-methods.ts'
import { CALL_TIMEOUT_MS } from './limits/call-deadline.ts'
import { limitedClient } from './limits/client-quota.ts'
import { createLane, type Lane } from './limits/lanes.ts'
import { methodPrice } from './limits/method-price.ts'
import { isLongRead, LANES, type LaneName, READ_METHODS, type ReadMethod, type ReadMethods } from './limits/read-lanes.ts'
import { otterscanMethods } from './otterscan/otterscan-methods.ts'
import { parityMethods } from './parity/parity-methods.ts'
import type { ReadDependencies, RpcDependencies } from './rpc-dependencies.ts'

export interface ReadRun {
  /** A read well past it is terminated. */
  readonly limitMs: number
  readonly signal: AbortSignal
  /** Null for a client without limits. */
  readonly client: string | null
  /** Called once with the thread time. */
  took?(readMs: number): void
}

export interface ReadRunner {
  readonly threads: number
  /** Reads a state no older than this call. */
  run(method: ReadMethod, params: readonly unknown[], run: ReadRun): Promise<unknown>
}

export function readMethods(deps: ReadDependencies): ReadMethods {
  return {
    ...callMethods(deps),
    ...simulateMethods(deps),
    ...traceMethods(deps),
    ...witnessMethods(deps),
    ...storageRangeMethod(deps),
    ...parityMethods(deps),
    ...otterscanMethods(deps),
    ...logMethods(deps),
    ...proofMethods(deps),
    ...blockReceiptsMethod(deps),
    ...feeHistoryMethod(deps),
  }
}

/** Calls, unlike the other reads, know the block that is being built. */
export function readMethodsWithPending(deps: ReadDependencies, pending: () => PendingBlock | null): ReadMethods {
  return { ...readMethods(deps), ...(pendingMethods(deps, pending, callMethods) as ReturnType<typeof callMethods>) }
}

export interface LanedReads {
  readonly methods: ReadMethods
  waiting(): number
}

/** Runs reads on the thread that calls it. */
export function createLocalRunner(deps: ReadDependencies & Pick<RpcDependencies, 'pending'>): ReadRunner {
  const local = readMethodsWithPending(deps, deps.pending)
  return {
    threads: 1,
    async run(method, params, { signal, took }) {
      const beganMs = deps.clock.monotonicMs()
      try {
        return await local[method](params, { signal, transport: 'http' })
      } finally {
        took?.(deps.clock.monotonicMs() - beganMs)
      }
    },
  }
}

export function lanedReadMethods(options: RpcOptions, runner: ReadRunner): LanedReads {
  const lanes = createLanes(options, runner.threads)
  const clients = createClientLane(runner.threads)
  const handlerOf = (method: ReadMethod): RpcHandler => {
    const lane = lanes[LANES[method]]
    const limitMs = limitOf(LANES[method], options)
    const reserve = isLongRead(method) ? LONG_READ_RESERVE : 0
    const paid = methodPrice(method)
    return (params, context) => {
      const { caller, signal } = context
      const client = limitedClient(context)
      const read = async () => {
        // Other reads of the caller may have used its tokens meanwhile.
        const waitMs = (await caller?.reserve(reserve)) ?? 0
        if (waitMs > 0) throw inDebt(waitMs)
        const took = (readMs: number) => caller?.charge(Math.max(paid, readMs / READ_MS_PER_TOKEN) - paid - reserve)
        return runner.run(method, params, { limitMs, signal, client, took })
      }
      return clients.run(signal, client, () => lane.run(signal, client, read))
    }
  }
  return {
    methods: Object.fromEntries(READ_METHODS.map((method) => [method, handlerOf(method)])) as ReadMethods,
    waiting: () => Object.values(lanes).reduce((sum, lane) => sum + lane.waiting, clients.waiting),
  }
}

const MAX_WAITING = 1_000
const QUERY_LIMIT_MS = 30_000

/** A read that uses more thread time than its price covers is charged for it at the end. */
export const READ_MS_PER_TOKEN = 5

/** Tokens required beyond the price before a long read starts; unused ones are returned. */
export const LONG_READ_RESERVE = 50

function inDebt(waitMs: number): RpcError {
  const waitSec = Math.ceil(waitMs / 1000)
  const text = `Rate limited: earlier calls cost more than their tokens; back off and try again in ${waitSec} s`
  return new RpcError(RPC_ERROR_NUMBERS.rateLimited, text)
}

/** With so few threads no core is spare for building and importing blocks. */
const FEW_THREADS = 2

function createClientLane(threads: number): Lane {
  const maxRunningPerClient = threads > FEW_THREADS ? Number.POSITIVE_INFINITY : 1
  return createLane({ maxRunning: Number.POSITIVE_INFINITY, maxRunningPerClient, maxWaiting: MAX_WAITING, plural: 'reads' })
}

function createLanes({ maxWaitingTraces }: RpcOptions, threads: number): Readonly<Record<LaneName, Lane>> {
  const forLong = Math.max(1, threads - 1)
  const waitingLong = { maxRunning: forLong, maxRunningPerClient: Math.ceil(forLong / 2), maxWaiting: maxWaitingTraces }
  return {
    call: createLane({ maxRunning: 2 * threads, maxRunningPerClient: threads, maxWaiting: MAX_WAITING, plural: 'calls' }),
    simulation: createLane({ ...waitingLong, plural: 'simulations' }),
    trace: createLane({ ...waitingLong, plural: 'traces' }),
    query: createLane({ maxRunning: 4 * threads, maxRunningPerClient: 2 * threads, maxWaiting: MAX_WAITING, plural: 'queries' }),
  }
}

/** Time after which the method should have ended by itself. */
function limitOf(lane: LaneName, options: RpcOptions): number {
  switch (lane) {
    case 'call':
      return CALL_TIMEOUT_MS
    case 'simulation':
      return options.traceTimeoutMs
    case 'trace':
      return options.maxTraceTimeoutMs
    case 'query':
      return QUERY_LIMIT_MS
  }
}

export function trustedReadMethods(deps: ReadDependencies): RpcMethods {
  const { eth_getProof, eth_getBlockReceipts } = readMethods(deps)
  return { eth_getProof, eth_getBlockReceipts }
}
