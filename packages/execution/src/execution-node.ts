/**
 * The execution client put together: chain, state, builder, pool, engine API and RPC over one store.
 * The composition root mounts `methods` on 8545/8546 and `engineMethods` on 8551.
 */
import type { EvmEngine } from '@keelson/evm'
import type { Clock, Crypto, EngineApi, Header, Logger, Random } from '@keelson/primitives'
import type { KeyValueStore, Metrics, RpcHandler, RpcMethods, Service } from '@keelson/runtime'
import type { GenesisAccount } from '@keelson/state'
import type { ChainMove, ChainReader } from './chain/chain-store.ts'
import type { ChainRules } from './chain-rules.ts'
import type { Unsubscribe } from './emitter.ts'
import { ExecutionError } from './errors.ts'
import type { ExecutionNodeOptions } from './options.ts'
import type { TxPool } from './txpool/tx-pool.ts'

export interface ExecutionChain {
  readonly chainId: bigint
  readonly rules: ChainRules
  readonly genesis: {
    readonly header: Header
    /** Walked only when the store is empty. */
    readonly alloc: Iterable<GenesisAccount>
  }
}

export interface ExecutionNodeDependencies {
  readonly chain: ExecutionChain
  /** Closed by whoever opened it. */
  readonly store: KeyValueStore
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
  readonly crypto: Crypto
  readonly evm: EvmEngine
  /** Answers rollup_* and optimism_*: the consensus client's own RPC. Without it those methods do not exist. */
  readonly forwardRollup?: (method: string, params: readonly unknown[], signal: AbortSignal) => ReturnType<RpcHandler>
  /** A node that does not sequence passes submitted transactions on to the one that does. */
  readonly forwardTransaction?: (raw: Uint8Array, signal: AbortSignal) => Promise<void>
}

/** A block that became part of the canonical chain, in the figures of the log line. */
export interface BlockReport {
  readonly number: number
  readonly hash: string
  readonly transactions: number
  readonly gasUsed: bigint
  readonly gasLimit: bigint
  readonly baseFeeWei: bigint
  /** Execution and state root, in milliseconds; null when it was executed in an earlier run. */
  readonly elapsedMs: number | null
  readonly megagasPerSec: number | null
}

/** One readiness criterion: a metric, and a reason for people. */
export interface ReadinessCheck {
  readonly name: string
  check(): { readonly ok: boolean; readonly reason: string }
}

export interface ExecutionNode extends Service {
  readonly engine: EngineApi
  readonly methods: RpcMethods
  readonly engineMethods: RpcMethods
  readonly pool: TxPool
  readonly chain: ChainReader
  readonly checks: readonly ReadinessCheck[]
  /** Every move of the canonical chain, after it is on disk. */
  onMove(listener: (move: ChainMove) => void): Unsubscribe
  onBlock(listener: (report: BlockReport) => void): Unsubscribe
  /** Resolves when background work (flattening, pool upkeep) has caught up: for tests and orderly stops. */
  settled(): Promise<void>
}

/**
 * Opens what the store holds, or writes genesis into an empty one. Throws ExecutionError
 * `execution/wrong-network` when the store belongs to another chain.
 */
export async function createExecutionNode(_options: ExecutionNodeOptions, deps: ExecutionNodeDependencies): Promise<ExecutionNode> {
  throw new ExecutionError('execution/stopped', `the execution client of chain ${deps.chain.chainId} is not put together yet`)
}
