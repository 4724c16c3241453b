/** Responses are verified, because an L1 node may be wrong, behind or malicious. execution-apis src/schemas/block.yaml */
import { type Block, encodeWithdrawal, type Withdrawal } from '../block/block.ts'
import { type Header, hashHeader } from '../block/header.ts'
import { orderedListRoot } from '../block/list-root.ts'
import { encodeReceipt, type Receipt } from '../block/receipt.ts'
import { CodecError } from '../errors.ts'
import type { Hash } from '../hex.ts'
import {
  formatData,
  formatQuantity,
  parseAddress,
  parseData,
  parseHash,
  parseJsonArray,
  parseJsonObject,
  parseOptional,
  parseQuantity,
  parseQuantity64,
  parseQuantityNumber,
} from '../quantity.ts'
import { TX_DEPOSIT, TX_POST_EXEC, TX_SET_CODE } from '../tx/transaction.ts'
import { PROBABLY_A_FORK } from './probably-a-fork.ts'
import { parseTransactionJson } from './transaction-json.ts'
import { describeUnknownFields } from './unknown-header-fields.ts'

export interface HashedHeader {
  readonly hash: Hash
  readonly header: Header
}

/** Omits the hash, size and lists. */
export function headerToJson(h: Header): Record<string, unknown> {
  const some = (key: string, value: bigint | string | null) =>
    value === null ? {} : { [key]: typeof value === 'bigint' ? formatQuantity(value) : value }
  return {
    parentHash: h.parentHash,
    sha3Uncles: h.ommersHash,
    miner: h.feeRecipient,
    stateRoot: h.stateRoot,
    transactionsRoot: h.transactionsRoot,
    receiptsRoot: h.receiptsRoot,
    logsBloom: formatData(h.logsBloom),
    difficulty: formatQuantity(h.difficulty),
    number: formatQuantity(h.number),
    gasLimit: formatQuantity(h.gasLimit),
    gasUsed: formatQuantity(h.gasUsed),
    timestamp: formatQuantity(h.timestampSec),
    extraData: formatData(h.extraData),
    mixHash: h.mixHash,
    nonce: formatData(h.nonce),
    ...some('baseFeePerGas', h.baseFeeWei),
    ...some('withdrawalsRoot', h.withdrawalsRoot),
    ...some('blobGasUsed', h.blobGasUsed),
    ...some('excessBlobGas', h.excessBlobGas),
    ...some('parentBeaconBlockRoot', h.parentBeaconBlockRoot),
    ...some('requestsHash', h.requestsHash),
    ...some('blockAccessListHash', h.blockAccessListHash),
    ...some('slotNumber', h.slotNumber),
  }
}

export function parseUncheckedHeaderJson(value: unknown): Header {
  const o = parseJsonObject(value, 'header')
  return {
    parentHash: parseHash(o.parentHash, 'parentHash'),
    ommersHash: parseHash(o.sha3Uncles, 'sha3Uncles'),
    feeRecipient: parseAddress(o.miner, 'miner'),
    stateRoot: parseHash(o.stateRoot, 'stateRoot'),
    transactionsRoot: parseHash(o.transactionsRoot, 'transactionsRoot'),
    receiptsRoot: parseHash(o.receiptsRoot, 'receiptsRoot'),
    logsBloom: parseData(o.logsBloom, 'logsBloom', 256),
    difficulty: parseQuantity(o.difficulty, 'difficulty'),
    number: parseQuantityNumber(o.number, 'number'),
    gasLimit: parseQuantity64(o.gasLimit, 'gasLimit'),
    gasUsed: parseQuantity64(o.gasUsed, 'gasUsed'),
    timestampSec: parseQuantityNumber(o.timestamp, 'timestamp'),
    extraData: parseData(o.extraData, 'extraData'),
    mixHash: parseHash(o.mixHash, 'mixHash'),
    nonce: parseData(o.nonce, 'nonce', 8),
    baseFeeWei: parseOptional(o.baseFeePerGas, 'baseFeePerGas', parseQuantity),
    withdrawalsRoot: parseOptional(o.withdrawalsRoot, 'withdrawalsRoot', parseHash),
    blobGasUsed: parseOptional(o.blobGasUsed, 'blobGasUsed', parseQuantity64),
    excessBlobGas: parseOptional(o.excessBlobGas, 'excessBlobGas', parseQuantity64),
    parentBeaconBlockRoot: parseOptional(o.parentBeaconBlockRoot, 'parentBeaconBlockRoot', parseHash),
    requestsHash: parseOptional(o.requestsHash, 'requestsHash', parseHash),
    blockAccessListHash: parseOptional(o.blockAccessListHash, 'blockAccessListHash', parseHash),
    slotNumber: parseOptional(o.slotNumber, 'slotNumber', parseQuantity64),
  }
}

/**
 * Throws CodecError `codec/header` when the fields do not hash to `hash`; the message names unknown fields, which an unsupported
 * fork may have added.
 */
export function parseHeaderJson(value: unknown): HashedHeader {
  const answer = parseJsonObject(value, 'header')
  const stated = parseHash(answer.hash, 'hash')
  const header = parseUncheckedHeaderJson(value)
  const hash = hashHeader(header)
  if (hash !== stated) {
    const message = `block ${header.number}: its fields hash to ${hash}, but the answer says ${stated}`
    const unknown = describeUnknownFields(Object.keys(answer))
    throw new CodecError('codec/header', unknown === null ? message : `${message}; ${unknown}`, { hash, stated })
  }
  return { hash, header }
}

/** Throws CodecError: `codec/header`, or `codec/payload` when a list does not match its root. */
export function parseBlockJson(value: unknown): Block {
  const { hash, header } = parseHeaderJson(value)
  const o = parseJsonObject(value, 'block')
  const transactions = parseJsonArray(o.transactions, 'transactions', parseTransactionJson)
  const withdrawals = parseOptional(o.withdrawals, 'withdrawals', (list, what) => parseJsonArray(list, what, parseWithdrawalJson))
  expectRoot('transactions', header.number, orderedListRoot(transactions.map((tx) => tx.raw)), header.transactionsRoot)
  if ((withdrawals === null) !== (header.withdrawalsRoot === null)) {
    throw new CodecError(
      'codec/payload',
      `block ${header.number}: ${withdrawals === null ? 'has a withdrawals root but no withdrawals' : 'has withdrawals but no withdrawals root'}`,
    )
  }
  // From Isthmus the root is a storage root, and the list is always empty.
  if (withdrawals !== null && withdrawals.length > 0) {
    expectRoot('withdrawals', header.number, orderedListRoot(withdrawals.map(encodeWithdrawal)), header.withdrawalsRoot as Hash)
  }
  return { hash, header, transactions, withdrawals }
}

/** Throws CodecError `codec/receipt` when the root differs. */
export function checkReceiptsRoot(receipts: readonly Receipt[], header: Pick<Header, 'number' | 'receiptsRoot'>): void {
  const root = orderedListRoot(receipts.map(encodeReceipt))
  if (root === header.receiptsRoot) return
  const message = `block ${header.number}: ${receipts.length} receipts have root ${root}, but its header says ${header.receiptsRoot}`
  const unknown = receipts.find(({ type }) => type > TX_SET_CODE && type !== TX_DEPOSIT && type !== TX_POST_EXEC)
  throw new CodecError(
    'codec/receipt',
    unknown === undefined ? message : `${message}; this release does not know receipts of type ${unknown.type}: ${PROBABLY_A_FORK}`,
  )
}

function expectRoot(what: string, blockNumber: number, computed: Hash, stated: Hash): void {
  if (computed !== stated) {
    throw new CodecError('codec/payload', `block ${blockNumber}: its ${what} have root ${computed}, but its header says ${stated}`)
  }
}

export function withdrawalToJson(w: Withdrawal): Record<string, unknown> {
  return {
    index: formatQuantity(w.index),
    validatorIndex: formatQuantity(w.validatorIndex),
    address: w.address,
    amount: formatQuantity(w.amountGwei),
  }
}

export function parseWithdrawalJson(value: unknown, what = 'withdrawal'): Withdrawal {
  const o = parseJsonObject(value, what)
  return {
    index: parseQuantity64(o.index, `${what}.index`),
    validatorIndex: parseQuantity64(o.validatorIndex, `${what}.validatorIndex`),
    address: parseAddress(o.address, `${what}.address`),
    amountGwei: parseQuantity64(o.amount, `${what}.amount`),
  }
}
