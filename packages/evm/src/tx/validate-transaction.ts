import { type BlockRules, ethParameters } from '@keelson/chainspec'
import {
  bytesToHex,
  MAX_NONCE,
  maxFeePerGasWei,
  maxPriorityFeePerGasWei,
  TX_ACCESS_LIST,
  TX_BLOB,
  TX_LEGACY,
  TX_SET_CODE,
  type UnsignedTransaction,
} from '@keelson/primitives'
import { GAS_PER_BLOB } from '../fees/blob-fee.ts'
import type { L1BlockValues } from '../fees/l1-block-values.ts'
import { l1Cost } from '../fees/l1-cost.ts'
import { operatorFeeWei } from '../fees/operator-fee.ts'
import { intrinsicGas } from './intrinsic-gas.ts'
import { type RejectedTx, rejected } from './rejection.ts'

const BLOB_HASH_VERSION = 1
const DELEGATION_PREFIX = [0xef, 0x01, 0x00]
const DELEGATION_BYTES = 23

export function validateTransaction(tx: UnsignedTransaction, rules: BlockRules, chainId: bigint): RejectedTx | null {
  const eth = ethParameters(rules.ethFork)
  if (!supportsType(tx.type, rules))
    return rejected('type-not-supported', `transaction type ${tx.type} is not supported by this chain at this time`)
  if (tx.chainId !== null && !eth.replayProtection) {
    return rejected('chain-id-mismatch', `transaction is for chain ${tx.chainId}, but signatures do not name a chain yet`)
  }
  if (tx.chainId !== null && tx.chainId !== chainId) {
    return rejected('chain-id-mismatch', `transaction is for chain ${tx.chainId}, this chain is ${chainId}`)
  }
  if (maxPriorityFeePerGasWei(tx) > maxFeePerGasWei(tx)) {
    return rejected('tip-above-fee-cap', `tip ${maxPriorityFeePerGasWei(tx)} wei is above the fee cap ${maxFeePerGasWei(tx)} wei`)
  }
  if (rules.maxTransactionGas !== null && tx.gasLimit > rules.maxTransactionGas) {
    return rejected('tx-gas-cap', `gas limit ${tx.gasLimit} is above ${rules.maxTransactionGas}, the most for one transaction`)
  }
  if (tx.to === null && eth.maxInitCodeBytes !== null && tx.data.length > eth.maxInitCodeBytes) {
    return rejected('init-code-too-large', `code size ${tx.data.length} limit ${eth.maxInitCodeBytes}`)
  }
  const intrinsic = intrinsicGas(tx, eth)
  if (tx.gasLimit < intrinsic.gas)
    return rejected('intrinsic-gas', `gas limit ${tx.gasLimit} is below ${intrinsic.gas}, the cost before execution`)
  if (tx.gasLimit < intrinsic.floor)
    return rejected('floor-data-gas', `gas limit ${tx.gasLimit} is below ${intrinsic.floor}, the floor for its data`)
  if (tx.type === TX_SET_CODE && tx.authorizationList.length === 0) {
    return rejected('empty-authorization-list', 'a set-code transaction needs at least one authorization')
  }
  return tx.type === TX_BLOB ? validateBlobs(tx.blobVersionedHashes, eth.maxBlobsPerTransaction, rules) : null
}

function supportsType(type: number, rules: BlockRules): boolean {
  const eth = ethParameters(rules.ethFork)
  if (type === TX_LEGACY) return true
  if (type === TX_ACCESS_LIST) return eth.accessListTransactions
  if (type === TX_BLOB) return rules.blobTransactions
  if (type === TX_SET_CODE) return rules.setCodeTransactions
  return eth.feeMarketTransactions
}

function validateBlobs(hashes: readonly Uint8Array[], perTransaction: number | null, rules: BlockRules): RejectedTx | null {
  const most = Math.min(perTransaction ?? Number.POSITIVE_INFINITY, rules.blobParameters?.max ?? 0)
  if (hashes.length === 0 || hashes.length > most) return rejected('blob-count', `${hashes.length} blobs, expected 1 to ${most}`)
  const bad = hashes.find((hash) => hash[0] !== BLOB_HASH_VERSION)
  return bad === undefined
    ? null
    : rejected('blob-hash-version', `versioned hash ${bytesToHex(bad)} is not of version ${BLOB_HASH_VERSION}`)
}

export interface SenderAccount {
  readonly nonce: bigint
  readonly balanceWei: bigint
  readonly code: Uint8Array
}

export function validateSender(tx: UnsignedTransaction, sender: SenderAccount): RejectedTx | null {
  if (tx.nonce < sender.nonce) return rejected('nonce-too-low', `next nonce ${sender.nonce}, tx nonce ${tx.nonce}`)
  if (tx.nonce > sender.nonce) return rejected('nonce-too-high', `next nonce ${sender.nonce}, tx nonce ${tx.nonce}`)
  if (tx.nonce === MAX_NONCE) return rejected('nonce-max', `nonce ${tx.nonce} is the last one and cannot be used`)
  if (sender.code.length > 0 && !isDelegation(sender.code)) return rejected('sender-not-eoa', 'the sender is a contract')
  return null
}

export function isDelegation(code: Uint8Array): boolean {
  return code.length === DELEGATION_BYTES && DELEGATION_PREFIX.every((byte, i) => code[i] === byte)
}

export function validateFees(tx: UnsignedTransaction, baseFeeWei: bigint, blobBaseFeeWei: bigint): RejectedTx | null {
  const cap = maxFeePerGasWei(tx)
  if (cap < baseFeeWei) return rejected('fee-cap-below-base-fee', `max fee per gas ${cap} wei is below the base fee ${baseFeeWei} wei`)
  if (tx.type === TX_BLOB && tx.maxFeePerBlobGasWei < blobBaseFeeWei) {
    return rejected('blob-fee-cap-below-base-fee', `max fee per blob gas ${tx.maxFeePerBlobGasWei} wei is below ${blobBaseFeeWei} wei`)
  }
  return null
}

export function rollupFeesWei(
  tx: UnsignedTransaction,
  raw: Uint8Array | null,
  rules: BlockRules,
  values: L1BlockValues | null,
): RollupFees {
  if (values === null || rules.l1Cost === null || raw === null) return NO_ROLLUP_FEES
  return { l1CostWei: l1Cost(raw, rules.l1Cost, values).feeWei, operatorFeeWei: operatorFeeWei(tx.gasLimit, rules, values) }
}

export interface RollupFees {
  readonly l1CostWei: bigint
  readonly operatorFeeWei: bigint
}
export const NO_ROLLUP_FEES: RollupFees = { l1CostWei: 0n, operatorFeeWei: 0n }

export function maxCostWei(tx: UnsignedTransaction, fees: RollupFees): bigint {
  const blobs = tx.type === TX_BLOB ? tx.maxFeePerBlobGasWei * GAS_PER_BLOB * BigInt(tx.blobVersionedHashes.length) : 0n
  return tx.valueWei + tx.gasLimit * maxFeePerGasWei(tx) + blobs + fees.l1CostWei + fees.operatorFeeWei
}

export function validateFunds(tx: UnsignedTransaction, fees: RollupFees, balanceWei: bigint): RejectedTx | null {
  const cost = maxCostWei(tx, fees)
  return balanceWei < cost
    ? rejected('insufficient-funds', `balance ${balanceWei} wei, tx cost ${cost} wei, overshot ${cost - balanceWei} wei`)
    : null
}
