/** JSON-RPC of the simulated L1, with geth's errors. */
import {
  type Address,
  bytesToHex,
  decodeSignedTransaction,
  effectiveGasPriceWei,
  formatQuantity,
  type Hash,
  headerToJson,
  hexToBytes,
  type SignedTransaction,
  TX_FEE_MARKET,
  toAddress,
} from '@keelson/primitives'
import { RpcError, type RpcMethods } from '@keelson/runtime'
import type { L1Block } from './l1-block.ts'
import { accountOf, callOracle, gasOf, type L1State, readProposal } from './l1-state.ts'
import type { SimulatedL1 } from './simulated-l1.ts'

const TIP_WEI = 10n ** 9n
const REVERTED = 3

interface Call {
  readonly from?: Address
  readonly to: Address | null
  readonly data?: `0x${string}`
}

export function createL1Methods(l1: SimulatedL1): RpcMethods {
  const { oracle, chainId } = l1.options
  const at = (tag: unknown) =>
    l1.block(typeof tag === 'string' && tag.startsWith('0x') && tag.length < 66 ? Number(tag) : (tag as 'latest'))
  const stateAt = (tag: unknown): L1State => {
    const block = at(tag === 'pending' ? 'latest' : tag)
    if (block === null) throw new RpcError(-32000, 'header not found')
    return block.state
  }
  const show = (tag: unknown, full: unknown) => {
    const block = at(tag)
    return block === null ? null : blockJson(l1, block, full === true)
  }
  const hashAt = (number: number) => l1.block(number)?.hash ?? null
  return {
    eth_chainId: () => formatQuantity(chainId),
    eth_blockNumber: () => formatQuantity(l1.head.header.number),
    eth_getBlockByNumber: ([tag, full]) => show(tag, full),
    eth_getBlockByHash: ([hash, full]) => show(hash, full),
    eth_getBlockReceipts: ([hash]) => {
      const block = at(hash)
      return block === null ? null : block.transactions.map((_, index) => receiptJson(l1, block, index))
    },
    eth_getTransactionReceipt: ([hash]) => {
      const found = l1.find(hash as Hash)
      return found === null ? null : receiptJson(l1, found.block, found.index)
    },
    eth_getTransactionByHash: ([hash]) => (l1.pool.has(hash as Hash) || l1.find(hash as Hash) !== null ? { hash } : null),
    eth_getTransactionCount: ([address, tag]) => {
      const state = stateAt(tag)
      return formatQuantity(
        tag === 'pending' ? l1.pool.pendingNonce(state, address as Address) : accountOf(state, address as Address).nonce,
      )
    },
    eth_getBalance: ([address, tag]) => formatQuantity(accountOf(stateAt(tag), address as Address).balanceWei),
    eth_maxPriorityFeePerGas: () => formatQuantity(TIP_WEI),
    eth_call: ([call, tag]) => {
      const { to, data } = call as Call
      if (to !== oracle.address) return '0x'
      const answer = callOracle(stateAt(tag), hexToBytes(data ?? '0x'), oracle)
      if (answer === null) throw new RpcError(REVERTED, 'execution reverted')
      return bytesToHex(answer)
    },
    eth_estimateGas: ([call]) => {
      const { from, to, data } = call as Call
      const bytes = hexToBytes(data ?? '0x')
      const reverts = to === oracle.address && readProposal(l1.head.state, bytes, from as Address, oracle, hashAt) === null
      if (reverts) throw new RpcError(REVERTED, 'execution reverted')
      return formatQuantity(gasOf(to, bytes, oracle))
    },
    eth_sendRawTransaction: ([raw]) => {
      const tx = decodeSignedTransaction(hexToBytes(raw as `0x${string}`))
      l1.submit(tx)
      return tx.hash
    },
  }
}

function blockJson(l1: SimulatedL1, block: L1Block, full: boolean): Record<string, unknown> {
  return {
    ...headerToJson(block.header),
    hash: block.hash,
    size: '0x400',
    uncles: [],
    withdrawals: [],
    transactions: block.transactions.map((tx) => (full ? transactionJson(tx, l1.senderOf(tx)) : tx.hash)),
  }
}

function transactionJson(tx: SignedTransaction, from: Address): Record<string, unknown> {
  if (tx.type !== TX_FEE_MARKET) throw new RpcError(-32000, 'transaction type not supported')
  return {
    type: formatQuantity(tx.type),
    hash: tx.hash,
    from,
    chainId: formatQuantity(tx.chainId),
    nonce: formatQuantity(tx.nonce),
    gas: formatQuantity(tx.gasLimit),
    to: tx.to === null ? null : toAddress(tx.to),
    value: formatQuantity(tx.valueWei),
    input: bytesToHex(tx.data),
    accessList: [],
    maxFeePerGas: formatQuantity(tx.maxFeePerGasWei),
    maxPriorityFeePerGas: formatQuantity(tx.maxPriorityFeePerGasWei),
    yParity: formatQuantity(tx.signature.yParity),
    v: formatQuantity(tx.signature.yParity),
    r: formatQuantity(tx.signature.r),
    s: formatQuantity(tx.signature.s),
  }
}

function receiptJson(l1: SimulatedL1, block: L1Block, index: number): Record<string, unknown> {
  const tx = block.transactions[index] as SignedTransaction
  const receipt = block.receipts[index]
  if (receipt === undefined || !('status' in receipt.outcome)) throw new RangeError(`block ${block.hash} has no receipt ${index}`)
  return {
    type: formatQuantity(receipt.type),
    status: formatQuantity(receipt.outcome.status),
    transactionHash: tx.hash,
    transactionIndex: formatQuantity(index),
    blockHash: block.hash,
    blockNumber: formatQuantity(block.header.number),
    from: l1.senderOf(tx),
    to: tx.to === null ? null : toAddress(tx.to),
    cumulativeGasUsed: formatQuantity(receipt.cumulativeGasUsed),
    gasUsed: formatQuantity(block.gasUsed[index] as bigint),
    effectiveGasPrice: formatQuantity(effectiveGasPriceWei(tx, block.header.baseFeeWei as bigint)),
    logsBloom: bytesToHex(receipt.logsBloom),
    logs: [],
  }
}
