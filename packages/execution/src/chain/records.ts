import type { L1FeeDetails } from '@keelson/evm'
import {
  type Block,
  bigintToBytes,
  bytesToBigint,
  bytesToHex,
  bytesToNumber,
  concatBytes,
  decodeHeader,
  decodeReceipt,
  decodeTransaction,
  encodeReceipt,
  encodeWithdrawal,
  type Hash,
  hexToBytes,
  keccak256Hash,
  type Receipt,
  type RlpInput,
  type RlpItem,
  rlpBigint,
  rlpBytes,
  rlpDecode,
  rlpEncode,
  rlpList,
  toAddress,
  type Withdrawal,
} from '@keelson/primitives'

export interface StoredReceipt {
  readonly receipt: Receipt
  readonly sender: Uint8Array
  readonly l1Fee: L1FeeDetails | null
}

export interface LabelHashes {
  readonly head: Hash
  readonly safe: Hash
  readonly finalized: Hash
}

export interface TransactionLocation {
  readonly blockNumber: number
  readonly index: number
}

export function encodeBody(block: Block): Uint8Array {
  const fields: RlpInput[] = [block.transactions.map((tx) => tx.raw)]
  if (block.withdrawals !== null) fields.push(block.withdrawals.map((w) => rlpDecode(encodeWithdrawal(w)) as RlpInput))
  return rlpEncode(fields)
}

export function decodeStoredBlock(hash: Hash, header: Uint8Array, body: Uint8Array): Block {
  const fields = rlpList(rlpDecode(body), 'stored body')
  return {
    hash,
    header: decodeHeader(header),
    transactions: rlpList(fields[0], 'stored transactions').map((raw) => decodeTransaction(rlpBytes(raw, 'stored transaction'))),
    withdrawals: fields[1] === undefined ? null : rlpList(fields[1], 'stored withdrawals').map(decodeWithdrawal),
  }
}

export type StoredTransactions = readonly RlpItem[]

export function transactionsInBody(body: Uint8Array): StoredTransactions {
  return rlpList(rlpList(rlpDecode(body), 'stored body')[0], 'stored transactions')
}

export function hashOfStoredTransaction(transactions: StoredTransactions, index: number): Hash | null {
  const raw = transactions[index]
  return raw === undefined ? null : keccak256Hash(rlpBytes(raw, 'stored transaction'))
}

function decodeWithdrawal(item: RlpItem): Withdrawal {
  const w = rlpList(item, 'withdrawal')
  return {
    index: rlpBigint(w[0], 'withdrawal index', 8),
    validatorIndex: rlpBigint(w[1], 'withdrawal validator', 8),
    address: toAddress(rlpBytes(w[2], 'withdrawal address', 20)),
    amountGwei: rlpBigint(w[3], 'withdrawal amount', 8),
  }
}

/** The deposit nonce is stored separately: before Canyon a deposit's receipt does not encode it. */
export function encodeStoredReceipts(receipts: readonly StoredReceipt[]): Uint8Array {
  return rlpEncode(
    receipts.map(({ receipt, sender, l1Fee }) => {
      const nonce = receipt.depositNonce === null ? new Uint8Array(0) : bigintToBytes(receipt.depositNonce, 8)
      return [encodeReceipt(receipt), nonce, sender, l1Fee === null ? [] : encodeL1Fee(l1Fee)]
    }),
  )
}

export function decodeStoredReceipts(raw: Uint8Array): StoredReceipt[] {
  return rlpList(rlpDecode(raw), 'stored receipts').map((item) => {
    const [receipt, nonce, sender, l1Fee] = rlpList(item, 'stored receipt')
    const decoded = decodeReceipt(rlpBytes(receipt, 'receipt'))
    const nonceBytes = rlpBytes(nonce, 'deposit nonce')
    const fee = rlpList(l1Fee, 'fee details')
    return {
      receipt: { ...decoded, depositNonce: nonceBytes.length === 0 ? null : bytesToBigint(nonceBytes) },
      sender: rlpBytes(sender, 'sender', 20),
      l1Fee: fee.length === 0 ? null : decodeL1Fee(fee),
    }
  })
}

/** Encodes null as an empty list, to distinguish it from zero. */
function encodeL1Fee(fee: L1FeeDetails): RlpInput {
  const optional = (value: bigint | number | null): RlpInput => (value === null ? [] : value)
  return [
    fee.l1FeeWei,
    fee.l1GasPriceWei,
    fee.l1GasUsed,
    optional(fee.l1FeeScalar),
    optional(fee.l1BaseFeeScalar),
    optional(fee.l1BlobBaseFeeWei),
    optional(fee.l1BlobBaseFeeScalar),
    optional(fee.operatorFeeScalar),
    optional(fee.operatorFeeConstant),
    optional(fee.daFootprintGasScalar),
    optional(fee.daFootprint),
  ]
}

function decodeL1Fee(fields: readonly RlpItem[]): L1FeeDetails {
  const wei = (i: number) => rlpBigint(fields[i], 'fee detail')
  const optional = (i: number) => (fields[i] instanceof Uint8Array ? wei(i) : null)
  const small = (i: number) => {
    const value = optional(i)
    return value === null ? null : Number(value)
  }
  return {
    l1FeeWei: wei(0),
    l1GasPriceWei: wei(1),
    l1GasUsed: wei(2),
    l1FeeScalar: optional(3),
    l1BaseFeeScalar: small(4),
    l1BlobBaseFeeWei: optional(5),
    l1BlobBaseFeeScalar: small(6),
    operatorFeeScalar: small(7),
    operatorFeeConstant: optional(8),
    daFootprintGasScalar: small(9),
    daFootprint: optional(10),
  }
}

export function encodeLabels(labels: LabelHashes): Uint8Array {
  return concatBytes(hexToBytes(labels.head), hexToBytes(labels.safe), hexToBytes(labels.finalized))
}

export function decodeLabels(raw: Uint8Array): LabelHashes {
  const at = (i: number) => bytesToHex(raw.subarray(32 * i, 32 * (i + 1))) as Hash
  return { head: at(0), safe: at(1), finalized: at(2) }
}

export function encodeLocation(location: TransactionLocation): Uint8Array {
  return concatBytes(bigintToBytes(BigInt(location.blockNumber), 8), bigintToBytes(BigInt(location.index), 4))
}

export function decodeLocation(raw: Uint8Array): TransactionLocation {
  return { blockNumber: bytesToNumber(raw.subarray(0, 8)), index: bytesToNumber(raw.subarray(8, 12)) }
}

const BLOOM_OFFSET = 3 + 33 + 33 + 21 + 33 + 33 + 33 + 3
const BLOOM_LENGTH = 256

/** All earlier header fields have a fixed size, so no decoding is needed. */
export function bloomOfEncodedHeader(header: Uint8Array): Uint8Array {
  return header.subarray(BLOOM_OFFSET, BLOOM_OFFSET + BLOOM_LENGTH)
}
