import type { RpcHandler } from '@keelson/runtime'

export type LaneName = 'call' | 'simulation' | 'trace' | 'query'

export const LANES = {
  eth_call: 'call',
  eth_estimateGas: 'call',
  eth_createAccessList: 'call',
  eth_simulateV1: 'simulation',
  debug_traceTransaction: 'trace',
  debug_traceBlock: 'trace',
  debug_traceCall: 'trace',
  debug_traceBlockByNumber: 'trace',
  debug_traceBlockByHash: 'trace',
  debug_executionWitness: 'trace',
  debug_payloadWitness: 'trace',
  debug_storageRangeAt: 'trace',
  trace_block: 'trace',
  trace_transaction: 'trace',
  trace_get: 'trace',
  trace_replayTransaction: 'trace',
  trace_replayBlockTransactions: 'trace',
  trace_call: 'trace',
  trace_filter: 'trace',
  ots_getInternalOperations: 'trace',
  ots_traceTransaction: 'trace',
  ots_getTransactionError: 'trace',
  ots_getContractCreator: 'trace',
  eth_getLogs: 'query',
  eth_getProof: 'query',
  eth_getStorageValues: 'query',
  eth_getBlockReceipts: 'query',
  eth_feeHistory: 'query',
  ots_getApiLevel: 'query',
  ots_hasCode: 'query',
  ots_getBlockDetails: 'query',
  ots_getBlockDetailsByHash: 'query',
  ots_getBlockTransactions: 'query',
  ots_getTransactionBySenderAndNonce: 'query',
  ots_searchTransactionsBefore: 'query',
  ots_searchTransactionsAfter: 'query',
} as const satisfies Readonly<Record<string, LaneName>>

export type ReadMethod = keyof typeof LANES

export type ReadMethods = Readonly<Record<ReadMethod, RpcHandler>>

export const READ_METHODS = Object.keys(LANES) as readonly ReadMethod[]

/** If there are several read threads, one is kept free of these reads. */
export function isLongRead(method: ReadMethod): boolean {
  return LANES[method] === 'simulation' || LANES[method] === 'trace'
}
