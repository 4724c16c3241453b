import type { Bytes20, Bytes32, Hash } from '../hex.ts'

export const TX_LEGACY = 0x00
export const TX_ACCESS_LIST = 0x01
export const TX_FEE_MARKET = 0x02
export const TX_BLOB = 0x03
export const TX_SET_CODE = 0x04
export const TX_DEPOSIT = 0x7e

export interface Signature {
  readonly yParity: 0 | 1
  readonly r: bigint
  readonly s: bigint
}

export interface AccessListEntry {
  readonly address: Bytes20
  readonly slots: readonly Bytes32[]
}
export type AccessList = readonly AccessListEntry[]

/** EIP-7702 authorization. */
export interface Authorization {
  readonly chainId: bigint
  readonly address: Bytes20
  readonly nonce: bigint
  readonly yParity: number
  readonly r: bigint
  readonly s: bigint
}

export interface CallFields {
  readonly nonce: bigint
  readonly gasLimit: bigint
  readonly to: Bytes20 | null
  readonly valueWei: bigint
  readonly data: Uint8Array
}
export interface FeeMarketFields {
  readonly chainId: bigint
  readonly maxPriorityFeePerGasWei: bigint
  readonly maxFeePerGasWei: bigint
  readonly accessList: AccessList
}

export interface LegacyFields extends CallFields {
  readonly type: typeof TX_LEGACY
  /** Null without replay protection (before EIP-155). */
  readonly chainId: bigint | null
  readonly gasPriceWei: bigint
}
export interface AccessListFields extends CallFields {
  readonly type: typeof TX_ACCESS_LIST
  readonly chainId: bigint
  readonly gasPriceWei: bigint
  readonly accessList: AccessList
}
export interface DynamicFeeFields extends CallFields, FeeMarketFields {
  readonly type: typeof TX_FEE_MARKET
}
export interface BlobFields extends CallFields, FeeMarketFields {
  readonly type: typeof TX_BLOB
  readonly maxFeePerBlobGasWei: bigint
  readonly blobVersionedHashes: readonly Bytes32[]
}
export interface SetCodeFields extends CallFields, FeeMarketFields {
  readonly type: typeof TX_SET_CODE
  readonly authorizationList: readonly Authorization[]
}
/** OP Stack deposit, forced by L1. specs: protocol/deposits.md#the-deposited-transaction-type */
export interface DepositFields {
  readonly type: typeof TX_DEPOSIT
  readonly sourceHash: Bytes32
  readonly from: Bytes20
  readonly to: Bytes20 | null
  readonly mintWei: bigint
  readonly valueWei: bigint
  readonly gasLimit: bigint
  readonly isSystemTx: boolean
  readonly data: Uint8Array
}

export type UnsignedTransaction = LegacyFields | AccessListFields | DynamicFeeFields | BlobFields | SetCodeFields
/** Canonical bytes (EIP-2718) and their keccak. */
export interface Encoded {
  readonly raw: Uint8Array
  readonly hash: Hash
}
type Signed<T> = T & Encoded & { readonly signature: Signature }
export type LegacyTransaction = Signed<LegacyFields>
export type AccessListTransaction = Signed<AccessListFields>
export type DynamicFeeTransaction = Signed<DynamicFeeFields>
export type BlobTransaction = Signed<BlobFields>
export type SetCodeTransaction = Signed<SetCodeFields>
export type SignedTransaction = LegacyTransaction | AccessListTransaction | DynamicFeeTransaction | BlobTransaction | SetCodeTransaction
export type DepositTransaction = DepositFields & Encoded
export type Transaction = SignedTransaction | DepositTransaction

export function isDeposit(tx: Transaction): tx is DepositTransaction {
  return tx.type === TX_DEPOSIT
}

/** Returns gasPrice for older types, maxFeePerGas for newer ones. */
export function maxFeePerGasWei(tx: UnsignedTransaction): bigint {
  return 'gasPriceWei' in tx ? tx.gasPriceWei : tx.maxFeePerGasWei
}

export function maxPriorityFeePerGasWei(tx: UnsignedTransaction): bigint {
  return 'gasPriceWei' in tx ? tx.gasPriceWei : tx.maxPriorityFeePerGasWei
}

/** EIP-1559. The base fee is 0 before London. */
export function effectiveGasPriceWei(tx: UnsignedTransaction, baseFeeWei: bigint): bigint {
  if ('gasPriceWei' in tx) return tx.gasPriceWei
  const withTip = baseFeeWei + tx.maxPriorityFeePerGasWei
  return withTip < tx.maxFeePerGasWei ? withTip : tx.maxFeePerGasWei
}

export function accessListOf(tx: Transaction): AccessList {
  return 'accessList' in tx ? tx.accessList : []
}
