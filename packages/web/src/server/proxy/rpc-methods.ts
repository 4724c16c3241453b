/** What the pages may ask of a node: reads, and signed transactions. The number is the price in requests. */
const READS = [
  'eth_blobBaseFee',
  'eth_blockNumber',
  'eth_call',
  'eth_chainId',
  'eth_estimateGas',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getBlockReceipts',
  'eth_getBlockTransactionCountByHash',
  'eth_getBlockTransactionCountByNumber',
  'eth_getCode',
  'eth_getLogs',
  'eth_getProof',
  'eth_getStorageAt',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_maxPriorityFeePerGas',
  'eth_syncing',
  'net_version',
  'txpool_contentFrom',
  'txpool_status',
  'web3_clientVersion',
] as const

const EXPENSIVE: Readonly<Record<string, number>> = { debug_traceTransaction: 10, txpool_content: 10, eth_getLogs: 5 }

const PRICES: ReadonlyMap<string, number> = new Map([
  ...READS.map((method) => [method, 1] as const),
  ['eth_sendRawTransaction', 2],
  ...Object.entries(EXPENSIVE),
])

/** Null if the method is not offered. */
export function priceOf(method: string): number | null {
  return PRICES.get(method) ?? null
}
