import type { Bytes20, Bytes32, Hash } from '../hex.ts'

export const TX_LEGACY = 0x00
export const TX_ACCESS_LIST = 0x01
export const TX_FEE_MARKET = 0x02
export const TX_BLOB = 0x03
export const TX_SET_CODE = 0x04
export const TX_POST_EXEC = 0x7d
export const TX_DEPOSIT = 0x7e

const TYPED: readonly number[] = [TX_ACCESS_LIST, TX_FEE_MARKET, TX_BLOB, TX_SET_CODE, TX_POST_EXEC, TX_DEPOSIT]

/** `firstByte` is that of an encoded transaction; a legacy transaction begins with its RLP list. EIP-2718 */
export function isKnownTransactionType(firstByte: number): boolean {
  return firstByte >= 0xc0 || TYPED.includes(firstByte)
}

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

/**
 * OP Stack post-execution transaction: data of the sequencer about its block, appended as the block's last transaction. It has no
 * signature, recipient, nonce or gas. specs: protocol/lagoon/post-exec.md
 */
export interface PostExecFields {
  readonly type: typeof TX_POST_EXEC
  /** An RLP list; `decodePostExecPayload` reads it. */
  readonly payload: Uint8Array
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
export type PostExecTransaction = PostExecFields & Encoded
export type Transaction = SignedTransaction | DepositTransaction | PostExecTransaction

export function isDeposit(tx: Transaction): tx is DepositTransaction {
  return tx.type === TX_DEPOSIT
}

export function isPostExec(tx: Transaction): tx is PostExecTransaction {
  return tx.type === TX_POST_EXEC
}

/** True for the transactions that users sign and pay for. */
export function isSigned(tx: Transaction): tx is SignedTransaction {
  return !isDeposit(tx) && !isPostExec(tx)
}

/** EIP-2681: an account with this nonce sends no more transactions and creates no more contracts. */
export const MAX_NONCE = (1n << 64n) - 1n

/** Null for creations of contracts, and for post-execution transactions, which have no recipient. */
export function recipientOf(tx: Transaction): Bytes20 | null {
  return isPostExec(tx) ? null : tx.to
}

/** True for a transaction that makes a contract, when its first frame succeeds. */
export function createsContract(tx: Transaction): boolean {
  return !isPostExec(tx) && tx.to === null
}

/** What the sender pays for a gas, at a block's base fee; 0 for transactions that pay nothing on L2. */
export function paidGasPriceWei(tx: Transaction, baseFeeWei: bigint): bigint {
  return isSigned(tx) ? effectiveGasPriceWei(tx, baseFeeWei) : 0n
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
