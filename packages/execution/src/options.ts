/** Options of the execution client, with their defaults. Paths, ports and URLs are the composition root's. */
import { DEFAULT_STATE_STORE_OPTIONS, type StateStoreOptions } from '@keelson/state'
import { DEFAULT_TX_POOL_OPTIONS, type TxPoolOptions } from './txpool/pool-types.ts'

export interface BuilderOptions {
  /** Most time spent on pool transactions for one payload, in milliseconds. */
  readonly fillBudgetMs: number
  /** `getPayload` lets a running fill go on for at most this long. */
  readonly sealGraceMs: number
  /** Payloads kept for `getPayload`. */
  readonly maxPayloads: number
  /** A full block is filled anew for better transactions at most this often. */
  readonly refillIntervalMs: number
}

export interface RpcOptions {
  /** Gas that eth_call and eth_estimateGas may use. */
  readonly callGasCap: bigint
  /** Of a log filter with addresses, which an index answers. */
  readonly maxLogRangeBlocks: number
  /** Of one without: each block's filter has to be read. */
  readonly maxUnindexedLogRangeBlocks: number
  readonly maxLogResults: number
  /** Topics or addresses in one log filter, alternatives counted one by one. */
  readonly maxFilterTerms: number
  /** A filter that nobody polls is dropped after this time. */
  readonly filterLifetimeMs: number
  readonly maxFilters: number
  /** Limits per untrusted client: polled filters, and addresses and topics in all of them. */
  readonly maxFiltersPerClient: number
  readonly maxFilterTermsPerClient: number
  readonly maxSubscriptionsPerConnection: number
  /** Limit per untrusted client, over all its connections. */
  readonly maxSubscriptionsPerClient: number
  /** Limits on addresses and topics in all log subscriptions of an untrusted client, and of all clients. */
  readonly maxSubscriptionTermsPerClient: number
  readonly maxSubscriptionTerms: number
  /** Over all connections: each new head is written once for each of them. */
  readonly maxSubscriptions: number
  readonly maxFeeHistoryBlocks: number
  /** The tip suggested when blocks are not full, in wei. */
  readonly minSuggestedTipWei: bigint
  /** debug_trace*: time for a request that names none, and the most it may name. */
  readonly traceTimeoutMs: number
  readonly maxTraceTimeoutMs: number
  /** Of one answer, roughly. */
  readonly maxTraceBytes: number
  /** Traces run one at a time; more than these waiting are refused. */
  readonly maxWaitingTraces: number
  /** eth_sendRawTransactionSync: how long it waits for the receipt by default, and at most. */
  readonly syncSubmitTimeoutMs: number
  readonly maxSyncSubmitTimeoutMs: number
  /** Serves eth_sendRawTransactionConditional; conditions are checked on submission and while blocks are built. */
  readonly conditionalTransactions: boolean
  /** Serves testing_buildBlockV1 on the engine port. */
  readonly testingMethods: boolean
  /** eth_syncing says so when the head is older than this. */
  readonly syncedHeadAgeSec: number
}

export interface ExecutionNodeOptions {
  readonly state: StateStoreOptions
  readonly pool: TxPoolOptions
  readonly builder: BuilderOptions
  readonly rpc: RpcOptions
  /** Decoded blocks and receipt lists kept in memory. */
  readonly cachedBlocks: number
  /** Remembered blocks that are known to be invalid. */
  readonly maxInvalidBlocks: number
  /** Sealed blocks whose execution is kept until they come back through newPayload. */
  readonly maxExecutedBlocks: number
  /** Each write of a block waits for the disk: survives a power cut, costs milliseconds. */
  readonly syncWrites: boolean
  /** Readiness: oldest acceptable head. */
  readonly maxHeadAgeSec: number
  /** For web3_clientVersion and engine_getClientVersionV1. */
  readonly version: string
  /** Four bytes of the source's commit as hex, or zeroes. */
  readonly commit: string
}

export const DEFAULT_EXECUTION_OPTIONS: ExecutionNodeOptions = {
  state: DEFAULT_STATE_STORE_OPTIONS,
  pool: DEFAULT_TX_POOL_OPTIONS,
  builder: { fillBudgetMs: 1_500, sealGraceMs: 100, maxPayloads: 16, refillIntervalMs: 500 },
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
