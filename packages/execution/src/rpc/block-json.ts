import {
  type AccessList,
  type Block,
  bytesToHex,
  effectiveGasPriceWei,
  encodeBlock,
  formatData,
  formatQuantity,
  type Hash,
  type Header,
  headerToJson,
  isDeposit,
  isPostExec,
  type Log,
  type PostExecTransaction,
  type SignedTransaction,
  type Transaction,
  TX_LEGACY,
  withdrawalToJson,
} from '@keelson/primitives'
import type { SealedHeader } from '../chain/chain-reader.ts'
import type { StoredReceipt } from '../chain/records.ts'

export type Json = Record<string, unknown>

const TOTAL_DIFFICULTY = '0x0'

/** Full transactions need `receipts` for senders and deposit nonces. */
export function blockToJson(block: Block, receipts: readonly StoredReceipt[] | null): Json {
  const { hash, header, transactions, withdrawals } = block
  return {
    ...sealedHeaderToJson(block),
    totalDifficulty: TOTAL_DIFFICULTY,
    size: formatQuantity(encodeBlock(block).length),
    uncles: [],
    transactions:
      receipts === null
        ? transactions.map((tx) => tx.hash)
        : transactions.map((tx, index) =>
            transactionToJson(tx, { blockHash: hash, header, index, receipt: receipts[index] as StoredReceipt }),
          ),
    ...(withdrawals === null ? {} : { withdrawals: withdrawals.map(withdrawalToJson) }),
  }
}

export function sealedHeaderToJson(block: SealedHeader): Json {
  return { hash: block.hash, ...headerToJson(block.header) }
}

export interface IncludedAt {
  readonly blockHash: Hash
  readonly header: Header
  readonly index: number
  readonly receipt: StoredReceipt
}

export function transactionToJson(tx: Transaction, at: IncludedAt): Json {
  const place = {
    blockHash: at.blockHash,
    blockNumber: formatQuantity(at.header.number),
    blockTimestamp: formatQuantity(at.header.timestampSec),
    from: bytesToHex(at.receipt.sender),
    hash: tx.hash,
    transactionIndex: formatQuantity(at.index),
  }
  if (isPostExec(tx)) return { ...place, ...postExecToJson(tx) }
  if (!isDeposit(tx)) {
    const price = effectiveGasPriceWei(tx, at.header.baseFeeWei ?? 0n)
    return { ...place, ...signedToJson(tx), gasPrice: formatQuantity(price) }
  }
  const { depositNonce, depositReceiptVersion } = at.receipt.receipt
  return {
    ...place,
    type: formatQuantity(tx.type),
    nonce: formatQuantity(depositNonce ?? 0n),
    gas: formatQuantity(tx.gasLimit),
    gasPrice: '0x0',
    to: tx.to === null ? null : bytesToHex(tx.to),
    value: formatQuantity(tx.valueWei),
    input: formatData(tx.data),
    sourceHash: bytesToHex(tx.sourceHash),
    // Omit zero and false, as op-geth does: clients built on alloy reject a false isSystemTx.
    ...(tx.mintWei === 0n ? {} : { mint: formatQuantity(tx.mintWei) }),
    ...(tx.isSystemTx ? { isSystemTx: true } : {}),
    ...(depositReceiptVersion === null ? {} : { depositReceiptVersion: formatQuantity(depositReceiptVersion) }),
    v: '0x0',
    r: '0x0',
    s: '0x0',
  }
}

/** Fields that do not apply are left out. specs: protocol/lagoon/post-exec.md#generic-transaction-interface-representation */
function postExecToJson(tx: PostExecTransaction): Json {
  return { type: formatQuantity(tx.type), gas: '0x0', value: '0x0', input: formatData(tx.payload) }
}

export function pendingTransactionToJson(tx: SignedTransaction, sender: string): Json {
  const none = { blockHash: null, blockNumber: null, blockTimestamp: null, transactionIndex: null }
  const price = 'gasPriceWei' in tx ? tx.gasPriceWei : tx.maxFeePerGasWei
  return { ...none, from: sender, hash: tx.hash, ...signedToJson(tx), gasPrice: formatQuantity(price) }
}

export function signedToJson(tx: SignedTransaction): Json {
  const { yParity, r, s } = tx.signature
  const common = {
    type: formatQuantity(tx.type),
    nonce: formatQuantity(tx.nonce),
    gas: formatQuantity(tx.gasLimit),
    to: tx.to === null ? null : bytesToHex(tx.to),
    value: formatQuantity(tx.valueWei),
    input: formatData(tx.data),
    r: formatQuantity(r),
    s: formatQuantity(s),
  }
  if (tx.type === TX_LEGACY) {
    if (tx.chainId === null) return { ...common, v: formatQuantity(27 + yParity) }
    return { ...common, chainId: formatQuantity(tx.chainId), v: formatQuantity(tx.chainId * 2n + 35n + BigInt(yParity)) }
  }
  return {
    ...common,
    chainId: formatQuantity(tx.chainId),
    v: formatQuantity(yParity),
    yParity: formatQuantity(yParity),
    accessList: accessListToJson(tx.accessList),
    ...('maxFeePerGasWei' in tx
      ? { maxFeePerGas: formatQuantity(tx.maxFeePerGasWei), maxPriorityFeePerGas: formatQuantity(tx.maxPriorityFeePerGasWei) }
      : {}),
    ...('blobVersionedHashes' in tx
      ? { maxFeePerBlobGas: formatQuantity(tx.maxFeePerBlobGasWei), blobVersionedHashes: tx.blobVersionedHashes.map((h) => bytesToHex(h)) }
      : {}),
    ...('authorizationList' in tx
      ? {
          authorizationList: tx.authorizationList.map((a) => ({
            chainId: formatQuantity(a.chainId),
            address: bytesToHex(a.address),
            nonce: formatQuantity(a.nonce),
            yParity: formatQuantity(a.yParity),
            r: formatQuantity(a.r),
            s: formatQuantity(a.s),
          })),
        }
      : {}),
  }
}

export function accessListToJson(list: AccessList): Json[] {
  return list.map((entry) => ({ address: bytesToHex(entry.address), storageKeys: entry.slots.map((slot) => bytesToHex(slot)) }))
}

export interface LogPlace {
  readonly blockHash: Hash
  readonly blockNumber: number
  readonly timestampSec: number
  readonly transactionHash: Hash
  readonly transactionIndex: number
  readonly logIndex: number
  readonly removed: boolean
}

export function logToJson(log: Log, at: LogPlace): Json {
  return {
    address: log.address,
    topics: log.topics,
    data: formatData(log.data),
    blockNumber: formatQuantity(at.blockNumber),
    blockHash: at.blockHash,
    blockTimestamp: formatQuantity(at.timestampSec),
    transactionHash: at.transactionHash,
    transactionIndex: formatQuantity(at.transactionIndex),
    logIndex: formatQuantity(at.logIndex),
    removed: at.removed,
  }
}
