import { DEFAULT_EXECUTION_OPTIONS, type ExecutionNodeOptions, PUBLIC_NAMESPACES, RPC_NAMESPACES } from '@keelson/execution'
import {
  DEFAULT_CONNECTION_LIMITS,
  DEFAULT_RPC_LIMITS,
  DEFAULT_SOCKET_LIMITS,
  type OptionValues,
  option,
  optionParsers as parse,
  type RpcServerOptions,
} from '@keelson/runtime'
import { accessOptions, sharedLimitOptions } from './rpc-access-options.ts'

type RpcOptions = ExecutionNodeOptions['rpc']

const defaults: RpcOptions = DEFAULT_EXECUTION_OPTIONS.rpc
const SECOND_MS = 1000
const HOUR_MS = 3_600_000
const MIB = 1024 * 1024
const namespaces = parse.list(parse.oneOf(...RPC_NAMESPACES))

export const portOptions = {
  httpApi: option({ key: 'http.api', parse: namespaces, default: PUBLIC_NAMESPACES, description: 'Namespaces served over HTTP.' }),
  wsApi: option({ key: 'ws.api', parse: namespaces, default: PUBLIC_NAMESPACES, description: 'Namespaces served over WebSocket.' }),
  httpGzip: option({
    key: 'http.gzip',
    parse: parse.toggle,
    default: true,
    description: 'Compress large answers for callers that accept it.',
  }),
  httpKeepAlive: option({
    key: 'http.keepAlive',
    parse: parse.duration(SECOND_MS, HOUR_MS),
    default: DEFAULT_CONNECTION_LIMITS.keepAliveMs,
    description: 'How long an idle HTTP connection is kept; longer than a load balancer keeps its own.',
  }),
  httpReadTimeout: option({
    key: 'http.readTimeout',
    parse: parse.duration(SECOND_MS, HOUR_MS),
    default: DEFAULT_CONNECTION_LIMITS.requestTimeoutMs,
    description: 'Time limit for receiving a whole request; a third of it for the headers.',
  }),
  httpWriteTimeout: option({
    key: 'http.writeTimeout',
    parse: parse.duration(SECOND_MS, HOUR_MS),
    default: DEFAULT_CONNECTION_LIMITS.writeTimeoutMs,
    description: 'Time limit for a client to read a response.',
  }),
  httpMaxConnections: option({
    key: 'http.maxConnections',
    parse: parse.integer(1, 100_000),
    default: DEFAULT_CONNECTION_LIMITS.max,
    description: 'Connections to each of the two ports in all.',
  }),
  httpMaxConnectionsPerAddress: option({
    key: 'http.maxConnectionsPerAddress',
    parse: parse.integer(1, 100_000),
    default: DEFAULT_CONNECTION_LIMITS.maxPerAddress,
    description: 'Connections from one IPv4 address or IPv6 /64; trusted networks and proxies are not counted.',
  }),
  wsMaxConnections: option({
    key: 'ws.maxConnections',
    parse: parse.integer(1, 100_000),
    default: DEFAULT_SOCKET_LIMITS.maxConnections,
    description: 'WebSocket connections in all.',
  }),
  wsMaxConnectionsPerClient: option({
    key: 'ws.maxConnectionsPerClient',
    parse: parse.integer(1, 100_000),
    default: DEFAULT_SOCKET_LIMITS.maxConnectionsPerClient,
    description: 'WebSocket connections of one key, or of one address without a key.',
  }),
  wsMaxQueueBytes: option({
    key: 'ws.maxQueueBytes',
    parse: parse.byteSizeWithin(64 * 1024, 1024 * MIB),
    default: DEFAULT_SOCKET_LIMITS.maxBufferedBytes,
    description: 'Notifications waiting for a slow WebSocket client before it is closed with code 1008.',
  }),
} as const

export const limitOptions = {
  rpcTimeout: option({
    key: 'rpc.timeout',
    parse: parse.duration(100, HOUR_MS),
    default: DEFAULT_RPC_LIMITS.timeoutMs,
    description: 'Time for a request, a whole batch included.',
  }),
  rpcMinBlockWait: option({
    key: 'rpc.minBlockWait',
    parse: parse.duration(0, 60_000),
    default: DEFAULT_RPC_LIMITS.minBlockWaitMs,
    description: 'How long a request waits for the block that its header X-Keelson-Min-Block names, before it is answered with 503.',
  }),
  rpcMaxBodyBytes: option({
    key: 'rpc.maxBodyBytes',
    parse: parse.byteSizeWithin(1024, 256 * MIB),
    default: DEFAULT_RPC_LIMITS.maxBodyBytes,
    description: 'Maximum request size of a trusted caller or the holder of a key; each started 64 KiB counts as a call.',
  }),
  rpcMaxStrangerBodyBytes: option({
    key: 'rpc.maxStrangerBodyBytes',
    parse: parse.byteSizeWithin(1024, 256 * MIB),
    default: DEFAULT_RPC_LIMITS.maxStrangerBodyBytes,
    description: 'Maximum request size of any other caller; at most --rpc.max-body-bytes.',
  }),
  rpcBatchRequestLimit: option({
    key: 'rpc.batchRequestLimit',
    parse: parse.integer(1, 100_000),
    default: DEFAULT_RPC_LIMITS.maxBatchCalls,
    description: 'Calls in a batch; also no more than the burst of the caller.',
  }),
  rpcBatchResponseMaxSize: option({
    key: 'rpc.batchResponseMaxSize',
    parse: parse.byteSizeWithin(1024, 512 * MIB),
    default: DEFAULT_RPC_LIMITS.maxResponseBytes,
    description: 'Size of an answer, single or of a whole batch.',
  }),
  rpcMaxMemoryBytes: option({
    key: 'rpc.maxMemoryBytes',
    parse: parse.byteSizeWithin(MIB),
    default: DEFAULT_CONNECTION_LIMITS.maxMemoryBytes,
    description: 'Requests coming in and answers going out on each port, all callers together.',
  }),
  rpcGasCap: option({
    key: 'rpc.gascap',
    parse: parse.integer(21_000),
    default: Number(defaults.callGasCap),
    description: 'Gas for eth_call and eth_estimateGas.',
  }),
  rpcRangeLimit: option({
    key: 'rpc.rangelimit',
    parse: parse.integer(1),
    default: defaults.maxLogRangeBlocks,
    description: 'Blocks in a log query that names addresses.',
  }),
  rpcUnindexedRangeLimit: option({
    key: 'rpc.rangelimitUnindexed',
    parse: parse.integer(1),
    default: defaults.maxUnindexedLogRangeBlocks,
    description: 'Blocks in a log query that names none, which an index does not answer.',
  }),
  rpcMaxLogResults: option({
    key: 'rpc.maxLogResults',
    parse: parse.integer(1, 1_000_000),
    default: defaults.maxLogResults,
    description: 'Logs in one answer; past it the refusal names a range that fits.',
  }),
  rpcLogQueryLimit: option({
    key: 'rpc.logquerylimit',
    parse: parse.integer(1, 100_000),
    default: defaults.maxFilterTerms,
    description: 'Addresses and topics in one log query.',
  }),
  rpcFilterLifetime: option({
    key: 'rpc.filterLifetime',
    parse: parse.duration(SECOND_MS, 30 * 24 * HOUR_MS),
    default: defaults.filterLifetimeMs,
    description: 'A filter that nobody polls is dropped after this time.',
  }),
  rpcMaxFilters: option({
    key: 'rpc.maxFilters',
    parse: parse.integer(1, 1_000_000),
    default: defaults.maxFilters,
    description: 'Filters of all callers together.',
  }),
  rpcMaxSubscriptions: option({
    key: 'rpc.maxSubscriptions',
    parse: parse.integer(1, 100_000),
    default: defaults.maxSubscriptionsPerConnection,
    description: 'Subscriptions of one WebSocket connection.',
  }),
  rpcMaxFeeHistory: option({
    key: 'rpc.maxFeeHistory',
    parse: parse.integer(1, 100_000),
    default: defaults.maxFeeHistoryBlocks,
    description: 'Blocks in one answer of eth_feeHistory.',
  }),
  minSuggestedTip: option({
    key: 'gpo.minsuggestedpriorityfee',
    parse: parse.bigInteger,
    default: defaults.minSuggestedTipWei,
    description: 'Tip suggested while blocks are not full, in wei.',
  }),
  rpcTraceTimeout: option({
    key: 'rpc.traceTimeout',
    parse: parse.duration(100, HOUR_MS),
    default: defaults.traceTimeoutMs,
    description: 'Time for a trace that asks for none.',
  }),
  rpcMaxTraceTimeout: option({
    key: 'rpc.maxTraceTimeout',
    parse: parse.duration(100, HOUR_MS),
    default: defaults.maxTraceTimeoutMs,
    description: 'Time that a trace may ask for; --rpc.timeout ends it sooner.',
  }),
  rpcMaxTraceBytes: option({
    key: 'rpc.maxTraceBytes',
    parse: parse.byteSizeWithin(64 * 1024, 1024 * MIB),
    default: defaults.maxTraceBytes,
    description: 'Size of a trace, roughly.',
  }),
  rpcMaxWaitingTraces: option({
    key: 'rpc.maxWaitingTraces',
    parse: parse.integer(0, 10_000),
    default: defaults.maxWaitingTraces,
    description: 'Traces waiting for their turn; more are refused.',
  }),
  rpcSyncTimeout: option({
    key: 'rpc.txsync.defaulttimeout',
    parse: parse.duration(100, HOUR_MS),
    default: defaults.syncSubmitTimeoutMs,
    description: 'How long eth_sendRawTransactionSync waits for the receipt when it is not told.',
  }),
  rpcMaxSyncTimeout: option({
    key: 'rpc.txsync.maxtimeout',
    parse: parse.duration(100, HOUR_MS),
    default: defaults.maxSyncSubmitTimeoutMs,
    description: 'Longest wait that a caller may ask for; --rpc.timeout ends it sooner.',
  }),
  rpcConditional: option({
    key: 'rpc.conditional',
    parse: parse.toggle,
    default: defaults.conditionalTransactions,
    description:
      'Serve eth_sendRawTransactionConditional, which account abstraction bundlers use; each look-up of its conditions takes ' +
      'time on the thread that builds blocks.',
  }),
  rpcTesting: option({
    key: 'rpc.testing',
    parse: parse.toggle,
    default: defaults.testingMethods,
    description: 'Serve testing_buildBlockV1 on the engine port, for test suites only.',
  }),
} as const

export const rpcOptions = { ...portOptions, ...accessOptions, ...sharedLimitOptions, ...limitOptions } as const
type Values = OptionValues<typeof rpcOptions>

/** No wait exceeds the request's time limit. */
export function methodLimits(values: Values): RpcOptions {
  const withinRequest = (ms: number) => Math.min(ms, values.rpcTimeout)
  return {
    ...defaults,
    callGasCap: BigInt(values.rpcGasCap),
    maxLogRangeBlocks: values.rpcRangeLimit,
    maxUnindexedLogRangeBlocks: Math.min(values.rpcUnindexedRangeLimit, values.rpcRangeLimit),
    maxLogResults: values.rpcMaxLogResults,
    maxFilterTerms: values.rpcLogQueryLimit,
    filterLifetimeMs: values.rpcFilterLifetime,
    maxFilters: values.rpcMaxFilters,
    maxSubscriptionsPerConnection: values.rpcMaxSubscriptions,
    maxFeeHistoryBlocks: values.rpcMaxFeeHistory,
    minSuggestedTipWei: values.minSuggestedTip,
    traceTimeoutMs: withinRequest(values.rpcTraceTimeout),
    maxTraceTimeoutMs: withinRequest(values.rpcMaxTraceTimeout),
    maxTraceBytes: values.rpcMaxTraceBytes,
    maxWaitingTraces: values.rpcMaxWaitingTraces,
    syncSubmitTimeoutMs: withinRequest(values.rpcSyncTimeout),
    maxSyncSubmitTimeoutMs: withinRequest(values.rpcMaxSyncTimeout),
    conditionalTransactions: values.rpcConditional,
    testingMethods: values.rpcTesting,
  }
}

export function serverLimits(values: Values): Required<Pick<RpcServerOptions, 'limits' | 'socketLimits' | 'connections' | 'gzip'>> {
  return {
    gzip: values.httpGzip,
    limits: {
      maxBodyBytes: values.rpcMaxBodyBytes,
      maxStrangerBodyBytes: values.rpcMaxStrangerBodyBytes,
      maxBatchCalls: values.rpcBatchRequestLimit,
      maxResponseBytes: values.rpcBatchResponseMaxSize,
      timeoutMs: values.rpcTimeout,
      minBlockWaitMs: values.rpcMinBlockWait,
    },
    socketLimits: {
      maxConnections: values.wsMaxConnections,
      maxConnectionsPerClient: values.wsMaxConnectionsPerClient,
      maxBufferedBytes: values.wsMaxQueueBytes,
    },
    connections: {
      max: values.httpMaxConnections,
      maxPerAddress: values.httpMaxConnectionsPerAddress,
      keepAliveMs: values.httpKeepAlive,
      requestTimeoutMs: values.httpReadTimeout,
      headersTimeoutMs: Math.ceil(values.httpReadTimeout / 3),
      writeTimeoutMs: values.httpWriteTimeout,
      maxMemoryBytes: values.rpcMaxMemoryBytes,
    },
  }
}
