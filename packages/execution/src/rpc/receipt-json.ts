/** specs: protocol/exec-engine.md, isthmus, jovian */
import { type BlockRules, blobBaseFeeWei } from '@keelson/chainspec'
import { createAddress, GAS_PER_BLOB, type L1FeeDetails } from '@keelson/evm'
import {
  type Block,
  bytesToHex,
  createsContract,
  decodePostExecPayload,
  formatData,
  formatQuantity,
  type Header,
  isPostExec,
  isSigned,
  type PostExecTransaction,
  paidGasPriceWei,
  type Receipt,
  recipientOf,
  type Transaction,
  TX_BLOB,
} from '@keelson/primitives'
import type { StoredReceipt } from '../chain/records.ts'
import { type Json, logToJson } from './block-json.ts'

/** `receipts` must hold all receipts of the block: gas and log index depend on the earlier ones. */
export function receiptToJson(block: Block, receipts: readonly StoredReceipt[], index: number, rules: BlockRules): Json {
  const { header } = block
  const tx = block.transactions[index] as Transaction
  const { receipt, sender, l1Fee } = receipts[index] as StoredReceipt
  const gasBefore = receipts[index - 1]?.receipt.cumulativeGasUsed ?? 0n
  let firstLog = 0
  for (let i = 0; i < index; i++) firstLog += receipts[i]?.receipt.logs.length ?? 0
  const to = recipientOf(tx)
  const price = paidGasPriceWei(tx, header.baseFeeWei ?? 0n)
  return {
    transactionHash: tx.hash,
    transactionIndex: formatQuantity(index),
    blockHash: block.hash,
    blockNumber: formatQuantity(header.number),
    from: bytesToHex(sender),
    to: to === null ? null : bytesToHex(to),
    type: formatQuantity(tx.type),
    ...('status' in receipt.outcome ? { status: formatQuantity(receipt.outcome.status) } : { root: receipt.outcome.root }),
    cumulativeGasUsed: formatQuantity(receipt.cumulativeGasUsed),
    gasUsed: formatQuantity(receipt.cumulativeGasUsed - gasBefore),
    effectiveGasPrice: formatQuantity(price),
    contractAddress: contractAddress(tx, receipt, sender),
    logsBloom: formatData(receipt.logsBloom),
    logs: receipt.logs.map((log, i) =>
      logToJson(log, {
        blockHash: block.hash,
        blockNumber: header.number,
        timestampSec: header.timestampSec,
        transactionHash: tx.hash,
        transactionIndex: index,
        logIndex: firstLog + i,
        removed: false,
      }),
    ),
    ...depositFields(receipt),
    ...postExecFields(block, index, rules),
    ...(l1Fee === null ? {} : l1FeeToJson(l1Fee)),
    ...blobFields(tx, header, rules),
  }
}

function contractAddress(tx: Transaction, receipt: Receipt, sender: Uint8Array): string | null {
  if (!createsContract(tx)) return null
  const nonce = isSigned(tx) ? tx.nonce : (receipt.depositNonce ?? 0n)
  return bytesToHex(createAddress(sender, nonce))
}

function blobFields(tx: Transaction, header: Header, rules: BlockRules): Json {
  if (tx.type !== TX_BLOB || rules.blobParameters === null) return {}
  return {
    blobGasUsed: formatQuantity(GAS_PER_BLOB * BigInt(tx.blobVersionedHashes.length)),
    blobGasPrice: formatQuantity(blobBaseFeeWei(header.excessBlobGas ?? 0n, rules.blobParameters)),
  }
}

/**
 * A receipt of a signed transaction states its refund, or null; the post-execution transaction itself states its blob gas.
 * specs: protocol/lagoon/sdm.md#receipt-extension, post-exec.md#da-footprint
 */
function postExecFields({ transactions }: Block, index: number, rules: BlockRules): Json {
  const tx = transactions[index] as Transaction
  if (isPostExec(tx)) return { blobGasUsed: '0x0' }
  if (!rules.postExecTransactions || !isSigned(tx)) return {}
  const last = transactions.at(-1)
  const refund = last !== undefined && isPostExec(last) ? (refundsOf(last).get(index) ?? null) : null
  return { opGasRefund: refund === null ? null : formatQuantity(refund) }
}

const refunds = new WeakMap<PostExecTransaction, ReadonlyMap<number, bigint>>()

function refundsOf(tx: PostExecTransaction): ReadonlyMap<number, bigint> {
  let known = refunds.get(tx)
  if (known === undefined) {
    known = new Map(decodePostExecPayload(tx.payload).refunds.map(({ index, gas }) => [index, gas]))
    refunds.set(tx, known)
  }
  return known
}

function depositFields(receipt: Receipt): Json {
  return {
    ...(receipt.depositNonce === null ? {} : { depositNonce: formatQuantity(receipt.depositNonce) }),
    ...(receipt.depositReceiptVersion === null ? {} : { depositReceiptVersion: formatQuantity(receipt.depositReceiptVersion) }),
  }
}

function l1FeeToJson(fee: L1FeeDetails): Json {
  const some = (key: string, value: bigint | number | null) => (value === null ? {} : { [key]: formatQuantity(value) })
  return {
    l1Fee: formatQuantity(fee.l1FeeWei),
    l1GasPrice: formatQuantity(fee.l1GasPriceWei),
    l1GasUsed: formatQuantity(fee.l1GasUsed),
    ...(fee.l1FeeScalar === null ? {} : { l1FeeScalar: millionthsToDecimal(fee.l1FeeScalar) }),
    ...some('l1BaseFeeScalar', fee.l1BaseFeeScalar),
    ...some('l1BlobBaseFee', fee.l1BlobBaseFeeWei),
    ...some('l1BlobBaseFeeScalar', fee.l1BlobBaseFeeScalar),
    ...some('operatorFeeScalar', fee.operatorFeeScalar),
    ...some('operatorFeeConstant', fee.operatorFeeConstant),
    ...some('daFootprintGasScalar', fee.daFootprintGasScalar),
    ...some('blobGasUsed', fee.daFootprint),
  }
}

export function millionthsToDecimal(millionths: bigint): string {
  const whole = millionths / 1_000_000n
  const rest = (millionths % 1_000_000n).toString().padStart(6, '0').replace(/0+$/, '')
  return rest === '' ? whole.toString() : `${whole}.${rest}`
}
