/** Like geth, refuses calls with more parameters than the method takes. */
import type { RpcHandler, RpcMethods } from '@keelson/runtime'
import { rpcError } from './errors.ts'

const MOST: Readonly<Record<string, number>> = {
  eth_accounts: 0,
  eth_baseFee: 0,
  eth_blobBaseFee: 0,
  eth_blockNumber: 0,
  eth_call: 4,
  eth_capabilities: 0,
  eth_chainId: 0,
  eth_config: 0,
  eth_createAccessList: 4,
  eth_estimateGas: 4,
  eth_feeHistory: 3,
  eth_gasPrice: 0,
  eth_getBalance: 2,
  eth_getBlockByHash: 2,
  eth_getBlockByNumber: 2,
  eth_getBlockReceipts: 1,
  eth_getBlockTransactionCountByHash: 1,
  eth_getBlockTransactionCountByNumber: 1,
  eth_getCode: 2,
  eth_getFilterChanges: 1,
  eth_getFilterLogs: 1,
  eth_getHeaderByHash: 1,
  eth_getHeaderByNumber: 1,
  eth_getLogs: 1,
  eth_getProof: 3,
  eth_getRawTransactionByBlockHashAndIndex: 2,
  eth_getRawTransactionByBlockNumberAndIndex: 2,
  eth_getRawTransactionByHash: 1,
  eth_getStorageAt: 3,
  eth_getStorageValues: 2,
  eth_getTransactionByBlockHashAndIndex: 2,
  eth_getTransactionByBlockNumberAndIndex: 2,
  eth_getTransactionByHash: 1,
  eth_getTransactionCount: 2,
  eth_getTransactionReceipt: 1,
  eth_getUncleByBlockHashAndIndex: 2,
  eth_getUncleByBlockNumberAndIndex: 2,
  eth_getUncleCountByBlockHash: 1,
  eth_getUncleCountByBlockNumber: 1,
  eth_maxPriorityFeePerGas: 0,
  eth_newBlockFilter: 0,
  eth_newFilter: 1,
  eth_newPendingTransactionFilter: 1,
  eth_sendRawTransaction: 1,
  eth_sendRawTransactionConditional: 2,
  eth_sendRawTransactionSync: 2,
  eth_simulateV1: 2,
  eth_subscribe: 2,
  eth_syncing: 0,
  eth_uninstallFilter: 1,
  eth_unsubscribe: 1,
  net_listening: 0,
  net_peerCount: 0,
  net_version: 0,
  web3_clientVersion: 0,
  web3_sha3: 1,
  txpool_content: 0,
  txpool_contentFrom: 1,
  txpool_inspect: 0,
  txpool_status: 0,
  debug_executionWitness: 1,
  debug_getRawBlock: 1,
  debug_getRawHeader: 1,
  debug_getRawReceipts: 1,
  debug_getRawTransaction: 1,
  debug_payloadWitness: 2,
  debug_traceBlock: 2,
  debug_traceBlockByHash: 2,
  debug_traceBlockByNumber: 2,
  debug_traceCall: 3,
  debug_traceTransaction: 2,
  admin_nodeInfo: 0,
  admin_peers: 0,
  rpc_modules: 0,
}

export function limitArguments(methods: RpcMethods): RpcMethods {
  return Object.fromEntries(Object.entries(methods).map(([name, handler]) => [name, limited(handler, MOST[name])]))
}

function limited(handler: RpcHandler, most: number | undefined): RpcHandler {
  if (most === undefined) return handler
  return (params, context) => {
    if (params.length > most) throw rpcError('tooManyArguments', ` ${most}`)
    return handler(params, context)
  }
}
