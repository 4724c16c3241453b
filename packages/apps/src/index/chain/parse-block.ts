/** Reads a block and its receipts as the node gives them. Throws CodecError. */
import {
  CodecError,
  type Hash,
  type Hex,
  isHex,
  parseAddress,
  parseHash,
  parseJsonArray,
  parseJsonObject,
  parseOptional,
  parseQuantity,
  parseQuantityNumber,
  TX_DEPOSIT,
} from '@keelson/primitives'
import type { ChainBlock, ChainLog, ChainTransaction, DepositParts, L1FeeParts } from './ports.ts'

type Fields = Readonly<Record<string, unknown>>

const MAX_TOPICS = 4

/** Returns null when the receipts belong to another block, as after a reorg between the two requests. */
export function parseChainBlock(block: unknown, receipts: unknown): ChainBlock | null {
  const o = parseJsonObject(block, 'block')
  const hash = parseHash(o.hash, 'block.hash')
  const transactions = parseJsonArray(o.transactions, 'block.transactions', parseJsonObject)
  const results = parseJsonArray(receipts, 'receipts', parseJsonObject)
  if (results.some(({ blockHash }) => blockHash !== hash)) return null
  if (results.length !== transactions.length) {
    throw new CodecError('codec/receipt', `block ${hash} has ${transactions.length} transactions and ${results.length} receipts`)
  }
  return {
    number: parseQuantityNumber(o.number, 'block.number'),
    hash,
    parentHash: parseHash(o.parentHash, 'block.parentHash'),
    timeSec: parseQuantityNumber(o.timestamp, 'block.timestamp'),
    feeRecipient: parseAddress(o.miner, 'block.miner'),
    gasUsed: parseQuantity(o.gasUsed, 'block.gasUsed'),
    gasLimit: parseQuantity(o.gasLimit, 'block.gasLimit'),
    baseFeeWei: parseOptional(o.baseFeePerGas, 'block.baseFeePerGas', parseQuantity),
    sizeBytes: parseOptional(o.size, 'block.size', parseQuantityNumber) ?? 0,
    transactions: transactions.map((tx, i) => parseTransaction(tx, results[i] as Fields, i)),
  }
}

function parseTransaction(tx: Fields, receipt: Fields, position: number): ChainTransaction {
  const hash = parseHash(tx.hash, 'transaction.hash')
  if (receipt.transactionHash !== hash) throw new CodecError('codec/receipt', `receipt ${position} is not of transaction ${hash}`)
  const type = parseOptional(tx.type, 'transaction.type', parseQuantityNumber) ?? 0
  const succeeded = receipt.status === undefined || parseQuantity(receipt.status, 'receipt.status') === 1n
  return {
    position,
    hash,
    type,
    sender: parseAddress(tx.from, 'transaction.from'),
    recipient: parseOptional(tx.to, 'transaction.to', parseAddress),
    created: succeeded ? parseOptional(receipt.contractAddress, 'receipt.contractAddress', parseAddress) : null,
    // A post-execution transaction has none.
    nonce: parseOptional(tx.nonce, 'transaction.nonce', parseQuantity) ?? 0n,
    valueWei: parseQuantity(tx.value, 'transaction.value'),
    gasLimit: parseQuantity(tx.gas, 'transaction.gas'),
    gasUsed: parseQuantity(receipt.gasUsed, 'receipt.gasUsed'),
    gasPriceWei: parseOptional(receipt.effectiveGasPrice, 'receipt.effectiveGasPrice', parseQuantity) ?? 0n,
    maxFeeWei: parseOptional(tx.maxFeePerGas, 'transaction.maxFeePerGas', parseQuantity),
    maxPriorityFeeWei: parseOptional(tx.maxPriorityFeePerGas, 'transaction.maxPriorityFeePerGas', parseQuantity),
    succeeded,
    input: parseHex(tx.input, 'transaction.input'),
    l1Fee: parseL1Fee(receipt),
    deposit: type === TX_DEPOSIT ? parseDeposit(tx, receipt) : null,
    logs: parseJsonArray(receipt.logs, 'receipt.logs', parseLog),
  }
}

function parseL1Fee(receipt: Fields): L1FeeParts {
  const quantity = (key: string) => parseOptional(receipt[key], `receipt.${key}`, parseQuantity)
  return {
    l1FeeWei: quantity('l1Fee'),
    l1GasUsed: quantity('l1GasUsed'),
    l1GasPriceWei: quantity('l1GasPrice'),
    l1BaseFeeScalar: quantity('l1BaseFeeScalar'),
    l1BlobBaseFeeWei: quantity('l1BlobBaseFee'),
    l1BlobBaseFeeScalar: quantity('l1BlobBaseFeeScalar'),
    operatorFeeScalar: quantity('operatorFeeScalar'),
    operatorFeeConstant: quantity('operatorFeeConstant'),
    daFootprintGasScalar: quantity('daFootprintGasScalar'),
    daFootprint: quantity('blobGasUsed'),
  }
}

function parseDeposit(tx: Fields, receipt: Fields): DepositParts {
  return {
    sourceHash: parseHash(tx.sourceHash, 'transaction.sourceHash'),
    mintWei: parseOptional(tx.mint, 'transaction.mint', parseQuantity) ?? 0n,
    isSystem: tx.isSystemTx === true,
    nonce: parseOptional(receipt.depositNonce, 'receipt.depositNonce', parseQuantity),
    version: parseOptional(receipt.depositReceiptVersion, 'receipt.depositReceiptVersion', parseQuantity),
  }
}

function parseLog(value: unknown): ChainLog {
  const o = parseJsonObject(value, 'log')
  const topics: Hash[] = parseJsonArray(o.topics, 'log.topics', parseHash)
  if (topics.length > MAX_TOPICS) throw new CodecError('codec/receipt', `a log has ${topics.length} topics`)
  return {
    position: parseQuantityNumber(o.logIndex, 'log.logIndex'),
    address: parseAddress(o.address, 'log.address'),
    topics,
    data: parseHex(o.data, 'log.data'),
  }
}

function parseHex(value: unknown, what: string): Hex {
  if (!isHex(value)) throw new CodecError('codec/hex', `${what}: expected 0x-prefixed hex`)
  return value
}
