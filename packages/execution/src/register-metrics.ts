import type { Clock } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import type { StateStore } from '@keelson/state'
import type { BlockReport } from './block-report.ts'
import type { ChainReader } from './chain/chain-reader.ts'
import type { Unsubscribe } from './emitter.ts'
import type { MemoryUse } from './memory-use.ts'
import type { PublicMethods } from './rpc/methods.ts'
import type { TxPool } from './txpool/tx-pool.ts'

export interface MeteredParts {
  readonly chain: ChainReader
  readonly state: StateStore
  readonly pool: TxPool
  readonly clock: Clock
  readonly memory: readonly MemoryUse[]
  readonly maxPoolBytes: number
  readonly maxLayerBytes: number
  readonly rpc: Pick<PublicMethods, 'filterCount' | 'subscriptionCount' | 'waitingReads'>
  onBlock(listener: (report: BlockReport) => void): Unsubscribe
}

/** The targets are 1 s and, for alerts, 2 s. */
const EXECUTION_BUCKETS_SEC = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10]

export function registerMetrics(metrics: Metrics, parts: MeteredParts): void {
  const { chain, state, pool, clock, rpc } = parts
  const gauge = (name: string, help: string, value: () => number) => metrics.gauge(name, help, [], value)
  gauge('head_number', 'Number of the unsafe head', () => chain.label('unsafe').header.number)
  gauge('safe_number', 'Number of the safe head', () => chain.label('safe').header.number)
  gauge('finalized_number', 'Number of the finalized head', () => chain.label('finalized').header.number)
  gauge('head_age_seconds', 'Age of the unsafe head', () => clock.nowMs() / 1000 - chain.label('unsafe').header.timestampSec)
  gauge('base_fee_wei', 'Base fee of the unsafe head', () => Number(chain.label('unsafe').header.baseFeeWei ?? 0n))
  gauge('pool_pending', 'Executable transactions in the pool', () => pool.counts().pending)
  gauge('pool_queued', 'Waiting transactions in the pool', () => pool.counts().queued)
  gauge('pool_bytes', 'Size of the transactions in the pool', () => pool.counts().bytes)
  const dropped = metrics.counter('pool_dropped_total', 'Transactions that left the pool, by reason', ['reason'], [{}])
  pool.onDropped(({ reason }) => dropped.inc(1, { reason }))
  gauge('state_layers', 'State layers above the one on disk', () => state.layerCount)
  gauge('state_layer_bytes', 'Bytes of the records of state layers', () => state.layerBytes)
  gauge('state_oldest_number', 'Oldest block whose state can be read and proved', () => state.oldestHistory ?? 0)
  gauge('state_history_bytes', 'Bytes of the records of past state', () => state.historyBytes)
  gauge('state_history_cache_bytes', 'Bytes of cached index records of past state', () => state.historyCacheUsedBytes)
  gauge('rpc_filters', 'Filters that clients poll', rpc.filterCount)
  gauge('rpc_reads_waiting', 'Calls, traces and queries in queues', rpc.waitingReads)
  gauge('rpc_subscriptions', 'Subscriptions over WebSocket', rpc.subscriptionCount)
  const uses = (): { name: string; bytes: number; maxBytes: number }[] => [
    ...parts.memory.map(({ name, bytes, maxBytes }) => ({ name, bytes: bytes(), maxBytes })),
    ...state.cacheUses.map((use) => ({ ...use, name: `state-${use.name}` })),
    { name: 'state-layers', bytes: state.layerBytes, maxBytes: parts.maxLayerBytes },
    { name: 'pool', bytes: pool.counts().bytes, maxBytes: parts.maxPoolBytes },
  ]
  const labelled = (of: 'bytes' | 'maxBytes') => () => uses().map((use) => [{ cache: use.name }, use[of]] as const)
  metrics.gauge('cache_bytes', 'Approximate memory of a cache or queue', ['cache'], labelled('bytes'))
  metrics.gauge('cache_max_bytes', 'Maximum memory of a cache or queue', ['cache'], labelled('maxBytes'))
  const blocks = metrics.counter('blocks_total', 'Blocks that became canonical')
  const gas = metrics.counter('gas_total', 'Gas of blocks that became canonical')
  const transactions = metrics.counter('transactions_total', 'Transactions of blocks that became canonical')
  const elapsed = metrics.histogram('block_execution_seconds', 'Execution time of a block with its state root', [], EXECUTION_BUCKETS_SEC)
  parts.onBlock((report) => {
    blocks.inc()
    gas.inc(Number(report.gasUsed))
    transactions.inc(report.transactions)
    if (report.elapsedMs !== null) elapsed.observe(report.elapsedMs / 1000)
  })
}
