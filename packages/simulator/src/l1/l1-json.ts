/** Blocks, transactions and receipts of L1 as JSON-RPC shows them. */
import { blobBaseFeeWei } from '@keelson/chainspec'
import { GAS_PER_BLOB } from '@keelson/evm'
import {
  type Address,
  bytesToHex,
  effectiveGasPriceWei,
  formatQuantity,
  headerToJson,
  type Receipt,
  type SignedTransaction,
  TX_BLOB,
  TX_FEE_MARKET,
  toAddress,
} from '@keelson/primitives'
import { RpcError } from '@keelson/runtime'
import type { L1Block } from './l1-block.ts'
import { L1_RULES } from './l1-engine.ts'
import type { Inclusion } from './simulated-l1.ts'

type Json = Record<string, unknown>
export type SenderOf = (tx: SignedTransaction) => Address

export function blockJson(block: L1Block, full: boolean, senderOf: SenderOf): Json {
  return {
    ...headerToJson(block.header),
    hash: block.hash,
    size: '0x400',
    uncles: [],
    withdrawals: [],
    transactions: block.transactions.map((tx) => (full ? transactionJson(tx, senderOf(tx)) : tx.hash)),
  }
}

/** With its place, which is null while it waits. */
export function knownTransactionJson(tx: SignedTransaction, from: Address, found: Inclusion | null): Json {
  const { blockHash = null, blockNumber = null, transactionIndex = null } = found === null ? {} : placeJson(found.block, found.index)
  return { ...transactionJson(tx, from), blockHash, blockNumber, transactionIndex }
}

function transactionJson(tx: SignedTransaction, from: Address): Json {
  if (tx.type !== TX_FEE_MARKET && tx.type !== TX_BLOB) throw new RpcError(-32000, 'transaction type not supported')
  const blobs =
    tx.type === TX_BLOB
      ? { maxFeePerBlobGas: formatQuantity(tx.maxFeePerBlobGasWei), blobVersionedHashes: tx.blobVersionedHashes.map(bytesToHex) }
      : {}
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
    ...blobs,
    yParity: formatQuantity(tx.signature.yParity),
    v: formatQuantity(tx.signature.yParity),
    r: formatQuantity(tx.signature.r),
    s: formatQuantity(tx.signature.s),
  }
}

export function receiptJson(block: L1Block, index: number, senderOf: SenderOf): Json {
  const { header, receipts } = block
  const tx = block.transactions[index] as SignedTransaction
  const receipt = receipts[index]
  if (receipt === undefined || !('status' in receipt.outcome)) throw new RangeError(`block ${block.hash} has no receipt ${index}`)
  const earlier = receipts.slice(0, index)
  return {
    type: formatQuantity(receipt.type),
    status: formatQuantity(receipt.outcome.status),
    ...placeJson(block, index),
    from: senderOf(tx),
    to: tx.to === null ? null : toAddress(tx.to),
    cumulativeGasUsed: formatQuantity(receipt.cumulativeGasUsed),
    gasUsed: formatQuantity(receipt.cumulativeGasUsed - (earlier.at(-1)?.cumulativeGasUsed ?? 0n)),
    effectiveGasPrice: formatQuantity(effectiveGasPriceWei(tx, header.baseFeeWei as bigint)),
    logsBloom: bytesToHex(receipt.logsBloom),
    logs: logsJson(
      block,
      receipt,
      index,
      earlier.reduce((sum, { logs }) => sum + logs.length, 0),
    ),
    ...(tx.type === TX_BLOB
      ? {
          blobGasUsed: formatQuantity(GAS_PER_BLOB * BigInt(tx.blobVersionedHashes.length)),
          blobGasPrice: formatQuantity(blobBaseFeeWei(header.excessBlobGas ?? 0n, L1_RULES.blobParameters)),
        }
      : {}),
  }
}

function logsJson(block: L1Block, { logs }: Receipt, index: number, firstLog: number): readonly Json[] {
  return logs.map(({ address, topics, data }, i) => ({
    ...placeJson(block, index),
    address,
    topics,
    data: bytesToHex(data),
    logIndex: formatQuantity(firstLog + i),
    removed: false,
  }))
}

function placeJson({ hash, header, transactions }: L1Block, index: number): Json {
  return {
    transactionHash: transactions[index]?.hash,
    transactionIndex: formatQuantity(index),
    blockHash: hash,
    blockNumber: formatQuantity(header.number),
  }
}
