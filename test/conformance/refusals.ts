import assert from 'node:assert/strict'
import type { BlockOnlyRejection, HeaderRejection, TxRejection } from '@keelson/evm'
import type { CodecErrorCode } from '@keelson/primitives'

export type RefusalReason =
  | HeaderRejection
  | TxRejection
  | BlockOnlyRejection
  | CodecErrorCode
  | 'sender'
  | 'parent'
  | 'state-root'
  | 'system-contract'

export interface Refusal {
  readonly reason: RefusalReason
  readonly ommerReason?: HeaderRejection | null
  readonly message: string
}

const TX_FORM = ['codec/rlp', 'codec/transaction'] as const
const BLOCK_FORM = ['codec/rlp', 'codec/header', 'codec/transaction'] as const
/** Decoding checks v, recovery checks r and s; before EIP-155, v with a chain ID is out of range. */
const SIGNATURE = ['sender', 'codec/transaction', 'codec/rlp', 'chain-id-mismatch'] as const

const TRANSACTION: Readonly<Record<string, readonly RefusalReason[]>> = {
  TYPE_NOT_SUPPORTED: ['type-not-supported', ...TX_FORM],
  SENDER_NOT_EOA: ['sender-not-eoa'],
  ADDRESS_TOO_SHORT: TX_FORM,
  ADDRESS_TOO_LONG: TX_FORM,
  NONCE_MISMATCH_TOO_HIGH: ['nonce-too-high'],
  NONCE_MISMATCH_TOO_LOW: ['nonce-too-low'],
  NONCE_TOO_BIG: ['nonce-max'],
  NONCE_IS_MAX: ['nonce-max'],
  NONCE_OVERFLOW: TX_FORM,
  GASLIMIT_OVERFLOW: TX_FORM,
  VALUE_OVERFLOW: TX_FORM,
  GASPRICE_OVERFLOW: TX_FORM,
  PRIORITY_OVERFLOW: TX_FORM,
  GASLIMIT_PRICE_PRODUCT_OVERFLOW: ['insufficient-funds'],
  INVALID_SIGNATURE_VRS: SIGNATURE,
  RLP_INVALID_SIGNATURE_R: SIGNATURE,
  RLP_INVALID_SIGNATURE_S: SIGNATURE,
  EC_RECOVERY_FAIL: ['sender'],
  INVALID_CHAINID: ['chain-id-mismatch', 'codec/transaction', 'sender'],
  INSUFFICIENT_ACCOUNT_FUNDS: ['insufficient-funds'],
  // The tests' transactions also have too little gas, which is checked first.
  INSUFFICIENT_MAX_FEE_PER_GAS: ['fee-cap-below-base-fee', 'intrinsic-gas'],
  PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS: ['tip-above-fee-cap'],
  PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS_2: ['tip-above-fee-cap'],
  INSUFFICIENT_MAX_FEE_PER_BLOB_GAS: ['blob-fee-cap-below-base-fee'],
  INTRINSIC_GAS_TOO_LOW: ['intrinsic-gas'],
  INTRINSIC_GAS_BELOW_FLOOR_GAS_COST: ['floor-data-gas'],
  INITCODE_SIZE_EXCEEDED: ['init-code-too-large'],
  GAS_ALLOWANCE_EXCEEDED: ['block-gas-limit'],
  GAS_LIMIT_EXCEEDS_MAXIMUM: ['tx-gas-cap'],
  TYPE_3_TX_PRE_FORK: ['type-not-supported'],
  TYPE_3_TX_ZERO_BLOBS_PRE_FORK: ['type-not-supported', 'blob-count'],
  TYPE_3_TX_ZERO_BLOBS: ['blob-count'],
  TYPE_3_TX_INVALID_BLOB_VERSIONED_HASH: ['blob-hash-version'],
  TYPE_3_TX_WITH_FULL_BLOBS: TX_FORM,
  TYPE_3_TX_BLOB_COUNT_EXCEEDED: ['blob-count', 'blob-gas-limit', 'blob-gas-used'],
  TYPE_3_TX_MAX_BLOB_GAS_ALLOWANCE_EXCEEDED: ['blob-gas-limit', 'blob-count', 'blob-gas-used'],
  TYPE_3_TX_CONTRACT_CREATION: ['codec/transaction'],
  TYPE_4_TX_PRE_FORK: ['type-not-supported'],
  TYPE_4_EMPTY_AUTHORIZATION_LIST: ['empty-authorization-list'],
  TYPE_4_TX_CONTRACT_CREATION: ['codec/transaction'],
  TYPE_4_INVALID_AUTHORITY_SIGNATURE: TX_FORM,
  TYPE_4_INVALID_AUTHORITY_SIGNATURE_S_TOO_HIGH: TX_FORM,
  TYPE_4_INVALID_AUTHORIZATION_FORMAT: TX_FORM,
}

const BLOCK: Readonly<Record<string, readonly RefusalReason[]>> = {
  TOO_MANY_UNCLES: ['ommers'],
  UNCLE_IN_CHAIN: ['ommers'],
  UNCLE_IS_ANCESTOR: ['ommers'],
  UNCLE_IS_BROTHER: ['ommers'],
  UNCLE_PARENT_INCORRECT: ['ommers'],
  UNCLE_UNKNOWN_PARENT: ['ommers'],
  INVALID_UNCLES_HASH: ['ommers'],
  EXTRA_DATA_TOO_BIG: ['extra-data-too-long'],
  EXTRA_DATA_INVALID_DAO: ['extra-data-dao'],
  UNKNOWN_PARENT: ['parent'],
  UNKNOWN_PARENT_ZERO: ['parent'],
  GASLIMIT_TOO_BIG: ['gas-limit', 'codec/rlp'],
  // A gas limit of zero is below the gas used.
  INVALID_GASLIMIT: ['gas-limit', 'gas-used-above-limit'],
  INVALID_BLOCK_NUMBER: ['number'],
  INVALID_BLOCK_TIMESTAMP_OLDER_THAN_PARENT: ['timestamp'],
  INVALID_DIFFICULTY: ['difficulty'],
  INVALID_LOG_BLOOM: ['logs-bloom'],
  INVALID_STATE_ROOT: ['state-root'],
  INVALID_RECEIPTS_ROOT: ['receipts-root'],
  INVALID_TRANSACTIONS_ROOT: ['transactions-root'],
  INVALID_WITHDRAWALS_ROOT: ['withdrawals-root'],
  INVALID_BASEFEE_PER_GAS: ['base-fee'],
  GAS_USED_OVERFLOW: ['block-gas-limit', 'gas-used-above-limit', 'gas-used'],
  INVALID_GAS_USED: ['gas-used'],
  INVALID_GAS_USED_ABOVE_LIMIT: ['gas-used-above-limit'],
  BLOB_GAS_USED_ABOVE_LIMIT: ['blob-gas-used'],
  INCORRECT_BLOB_GAS_USED: ['blob-gas-used'],
  INCORRECT_EXCESS_BLOB_GAS: ['excess-blob-gas'],
  INVALID_REQUESTS: ['requests-hash'],
  SYSTEM_CONTRACT_EMPTY: ['system-contract'],
  SYSTEM_CONTRACT_CALL_FAILED: ['system-contract'],
  INVALID_DEPOSIT_EVENT_LAYOUT: ['system-contract'],
  INCORRECT_BLOCK_FORMAT: [
    ...BLOCK_FORM,
    'withdrawals-root',
    'blob-gas-used',
    'excess-blob-gas',
    'parent-beacon-block-root',
    'requests-hash',
  ],
  RLP_STRUCTURES_ENCODING: BLOCK_FORM,
  RLP_WITHDRAWALS_NOT_READ: [...BLOCK_FORM, 'withdrawals-root'],
  RLP_INVALID_FIELD_OVERFLOW_64: ['codec/rlp'],
  RLP_INVALID_ADDRESS: ['codec/rlp'],
  IMPORT_IMPOSSIBLE_LEGACY: ['base-fee', 'type-not-supported'],
  IMPORT_IMPOSSIBLE_LEGACY_WRONG_PARENT: ['base-fee'],
  IMPORT_IMPOSSIBLE_LONDON_WRONG_PARENT: ['base-fee'],
  IMPORT_IMPOSSIBLE_PARIS_WRONG_POW: ['difficulty'],
  IMPORT_IMPOSSIBLE_PARIS_WRONG_POS: ['difficulty'],
  IMPORT_IMPOSSIBLE_LONDON_OVER_PARIS: ['difficulty', 'ommers', 'nonce'],
  IMPORT_IMPOSSIBLE_PARIS_OVER_SHANGHAI: ['withdrawals-root'],
  IMPORT_IMPOSSIBLE_SHANGHAI: ['withdrawals-root'],
  IMPORT_IMPOSSIBLE_UNCLES_OVER_PARIS: ['ommers'],
  IMPORT_IMPOSSIBLE_DIFFICULTY_OVER_PARIS: ['difficulty'],
}

const OLDER: Readonly<Record<string, readonly RefusalReason[]>> = {
  IntrinsicGas: ['intrinsic-gas'],
  NoFunds: ['insufficient-funds'],
  NoFundsX: ['insufficient-funds'],
  NoCASH: ['insufficient-funds'],
  SenderNotEOA: ['sender-not-eoa'],
  SenderNotEOAorNoCASH: ['sender-not-eoa', 'insufficient-funds'],
  NoFundsOrGas: ['insufficient-funds', 'intrinsic-gas'],
  TypeNotSupported: ['type-not-supported'],
  TipGtFeeCap: ['tip-above-fee-cap'],
  FeeCapLessThanBlocks: ['fee-cap-below-base-fee', 'intrinsic-gas'],
  GasLimitReached: ['block-gas-limit'],
  NonceTooLow: ['nonce-too-low'],
  NonceTooHigh: ['nonce-too-high'],
  NonceHasMaxValue: ['nonce-max'],
  InitCodeLimitExceeded: ['init-code-too-large'],
  RLP_WRONGVALUE: TX_FORM,
  EMPTYBLOB: ['blob-count'],
  BLOBCREATE: ['codec/transaction'],
  BLOBLIST_OVERSIZE: ['blob-count', 'blob-gas-limit', 'blob-gas-used'],
  BLOBVERSION_INVALID: ['blob-hash-version'],
  InvalidGasLimit: ['gas-limit', 'codec/rlp'],
  InvalidGasLimit2: ['gas-limit', 'gas-used-above-limit'],
  InvalidTimestampOlderParent: ['timestamp'],
  InvalidNumber: ['number'],
  InvalidDifficulty: ['difficulty'],
  InvalidStateRoot: ['state-root'],
  InvalidLogBloom: ['logs-bloom'],
  InvalidReceiptsStateRoot: ['receipts-root'],
  InvalidTransactionsRoot: ['transactions-root'],
  InvalidWithdrawals: ['withdrawals-root'],
  InvalidUnclesHash: ['ommers'],
  InvalidUncleParentHash: ['ommers'],
  UncleIsAncestor: ['ommers'],
  UncleParentIsNotAncestor: ['ommers'],
  UncleInChain: ['ommers'],
  UncleIsBrother: ['ommers'],
  TooManyUncles: ['ommers'],
  ExtraDataTooBig: ['extra-data-too-long'],
  InvalidGasUsed: ['gas-used', 'gas-used-above-limit', 'block-gas-limit'],
  TooMuchGasUsed: ['block-gas-limit', 'gas-used-above-limit', 'gas-used'],
  UnknownParent: ['parent'],
  UnknownParent2: ['parent'],
  PostParisUncleHashIsNotEmpty: ['ommers'],
  PostParisDifficultyIsNot0: ['difficulty'],
  '3675PreParis1559BlockRejected': ['difficulty', 'ommers', 'nonce'],
  '1559BlockImportImpossible_BaseFeeWrong': ['base-fee'],
  INPUT_UNMARSHAL_ADDRESS_ERROR: ['codec/rlp'],
  INPUT_UNMARSHAL_ERROR: BLOCK_FORM,
  RLP_ExpectedAsList: BLOCK_FORM,
}

const unlisted = new Set<string>()

/** Names without an entry here; their cases were judged by the verdict alone. */
export function unlistedNames(): readonly string[] {
  return [...unlisted].sort()
}

/** Null for a name without an entry. */
function reasonsFor(name: string): readonly RefusalReason[] | null {
  const [space, rest] = name.split('.')
  if (space === 'TransactionException' && rest?.startsWith('RLP_')) return TRANSACTION[rest] ?? TX_FORM
  const older = name.replace(/^TR_/, '')
  const known = space === 'TransactionException' ? TRANSACTION[rest ?? ''] : space === 'BlockException' ? BLOCK[rest ?? ''] : OLDER[older]
  if (known !== undefined) return known
  const parts = rest === undefined ? older.split('OR') : []
  if (parts.length < 2) return null
  const reasons = parts.map(reasonsFor)
  return reasons.includes(null) ? null : reasons.flatMap((each) => each ?? [])
}

/** Null when a name has no entry: then any refusal will do. */
export function allowedReasons(exceptions: string): ReadonlySet<RefusalReason> | null {
  const names = exceptions.split('|').map((name) => name.trim())
  const unknown = names.filter((name) => reasonsFor(name) === null)
  for (const name of unknown) unlisted.add(name)
  return unknown.length > 0 ? null : new Set(names.flatMap((name) => reasonsFor(name) ?? []))
}

/** Newer fixtures list the alternatives instead of joining them. */
export type StatedExceptions = string | readonly string[]

export function assertRefused(refusal: Refusal | null, stated: StatedExceptions, what: string): void {
  const exceptions = typeof stated === 'string' ? stated : stated.join('|')
  const allowed = allowedReasons(exceptions)
  assert.ok(refusal !== null, `${what} should be refused: ${exceptions}`)
  if (allowed === null) return
  const { reason, ommerReason = null, message } = refusal
  const isAllowed = allowed.has(reason) || (ommerReason !== null && allowed.has(ommerReason))
  assert.ok(isAllowed, `${what} should be refused for ${exceptions} (${[...allowed].join(', ')}), but is for ${reason}: ${message}`)
}
