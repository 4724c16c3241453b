import { DEFAULT_STATE_STORE_OPTIONS, type StateStoreOptions } from '@keelson/state'
import { DEFAULT_TX_POOL_OPTIONS, type TxPoolOptions } from './txpool/pool-types.ts'

export interface BuilderOptions {
  readonly fillBudgetMs: number
  /** A transaction that runs longer is undone; `getPayload` waits for it. */
  readonly maxTransactionMs: number
  /** Maximum time that `getPayload` waits for a running fill. */
  readonly sealGraceMs: number
  readonly maxPayloads: number
  /** Minimum time between rebuilds of a full block. */
  readonly refillIntervalMs: number
}

export interface RpcOptions {
  readonly callGasCap: bigint
  /** Maximum range of log filters with addresses, which use an index. */
  readonly maxLogRangeBlocks: number
  /** Maximum range of log filters without addresses, which read every bloom filter. */
  readonly maxUnindexedLogRangeBlocks: number
  readonly maxLogResults: number
  /** Maximum addresses and topics in one filter; alternative topics count separately. */
  readonly maxFilterTerms: number
  readonly filterLifetimeMs: number
  readonly maxFilters: number
  /** Limits per untrusted client: polled filters, and addresses and topics in all of them. */
  readonly maxFiltersPerClient: number
  readonly maxFilterTermsPerClient: number
  readonly maxSubscriptionsPerConnection: number
  readonly maxSubscriptionsPerClient: number
  /** Maximum addresses and topics in all subscriptions, per untrusted client and in total. */
  readonly maxSubscriptionTermsPerClient: number
  readonly maxSubscriptionTerms: number
  /** Limit over all connections: each new head goes to every subscription. */
  readonly maxSubscriptions: number
  readonly maxFeeHistoryBlocks: number
  readonly minSuggestedTipWei: bigint
  /** Default and maximum time of debug_trace*. */
  readonly traceTimeoutMs: number
  readonly maxTraceTimeoutMs: number
  readonly maxTraceBytes: number
  readonly maxWaitingTraces: number
  /** Range of trace_filter, which executes each block again. */
  readonly maxTraceFilterBlocks: number
  /** Default and maximum wait of eth_sendRawTransactionSync. */
  readonly syncSubmitTimeoutMs: number
  readonly maxSyncSubmitTimeoutMs: number
  readonly conditionalTransactions: boolean
  readonly testingMethods: boolean
  /** eth_syncing reports syncing while the head is older than this. */
  readonly syncedHeadAgeSec: number
}

export interface ExecutionNodeOptions {
  readonly state: StateStoreOptions
  readonly pool: TxPoolOptions
  readonly builder: BuilderOptions
  readonly rpc: RpcOptions
  readonly cachedBlocks: number
  readonly maxInvalidBlocks: number
  /** Number of sealed blocks whose execution results are kept for newPayload. */
  readonly maxExecutedBlocks: number
  /** If true, blocks survive a power failure, but each write takes milliseconds longer. */
  readonly syncWrites: boolean
  readonly maxHeadAgeSec: number
  readonly version: string
  /** Four bytes as hex. */
  readonly commit: string
}

export const DEFAULT_EXECUTION_OPTIONS: ExecutionNodeOptions = {
  state: DEFAULT_STATE_STORE_OPTIONS,
  pool: DEFAULT_TX_POOL_OPTIONS,
  builder: { fillBudgetMs: 1_500, maxTransactionMs: 500, sealGraceMs: 100, maxPayloads: 16, refillIntervalMs: 500 },
  rpc: {
    callGasCap: 30_000_000n,
    maxLogRangeBlocks: 100_000,
    maxUnindexedLogRangeBlocks: 10_000,
    maxLogResults: 10_000,
    maxFilterTerms: 1_000,
    filterLifetimeMs: 5 * 60 * 1000,
    maxFilters: 2_048,
    maxFiltersPerClient: 256,
    maxFilterTermsPerClient: 10_000,
    maxSubscriptionsPerConnection: 128,
    maxSubscriptionsPerClient: 256,
    maxSubscriptionTermsPerClient: 10_000,
    maxSubscriptionTerms: 100_000,
    maxSubscriptions: 8_192,
    maxFeeHistoryBlocks: 1_024,
    minSuggestedTipWei: 1_000_000n,
    traceTimeoutMs: 5_000,
    maxTraceTimeoutMs: 60_000,
    maxTraceBytes: 64 * 1024 * 1024,
    maxWaitingTraces: 16,
    maxTraceFilterBlocks: 1_000,
    syncSubmitTimeoutMs: 20_000,
    maxSyncSubmitTimeoutMs: 60_000,
    conditionalTransactions: false,
    testingMethods: false,
    syncedHeadAgeSec: 60,
  },
  cachedBlocks: 128,
  maxInvalidBlocks: 512,
  maxExecutedBlocks: 8,
  syncWrites: false,
  maxHeadAgeSec: 60,
  version: '0.1.0',
  commit: '00000000',
}
