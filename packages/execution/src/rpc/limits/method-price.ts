/** Tokens charged before a call; README.md has the table. */
const PRICES: Readonly<Record<string, number>> = {
  eth_simulateV1: 10,
  debug_traceTransaction: 10,
  debug_traceCall: 10,
  debug_traceBlock: 10,
  debug_traceBlockByNumber: 10,
  debug_traceBlockByHash: 10,
  debug_executionWitness: 10,
  debug_payloadWitness: 10,
  debug_storageRangeAt: 10,
  trace_block: 10,
  trace_transaction: 10,
  trace_get: 10,
  trace_replayTransaction: 10,
  trace_replayBlockTransactions: 10,
  trace_call: 10,
  trace_filter: 10,
  ots_getInternalOperations: 10,
  ots_traceTransaction: 10,
  ots_getTransactionError: 10,
  ots_getContractCreator: 10,
  ots_searchTransactionsBefore: 10,
  ots_searchTransactionsAfter: 10,
}

export function methodPrice(method: string): number {
  return Object.hasOwn(PRICES, method) ? (PRICES[method] as number) : 1
}
