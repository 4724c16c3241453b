/** Yellow paper section 6; EIP-1559, EIP-4844; specs: protocol/exec-engine.md#fees */
import {
  accessListOf,
  BASE_FEE_VAULT,
  type Bytes20,
  effectiveGasPriceWei,
  hexToBytes,
  L1_FEE_VAULT,
  OPERATOR_FEE_VAULT,
  type SignedTransaction,
  TX_BLOB,
  TX_SET_CODE,
} from '@keelson/primitives'
import { GAS_PER_BLOB } from '../fees/blob-fee.ts'
import { operatorFeeWei } from '../fees/operator-fee.ts'
import { executeCall } from './execute-call.ts'
import { type ExecutedTx, type ExecutionContext, transactionEnv } from './execution-context.ts'
import { intrinsicGas } from './intrinsic-gas.ts'
import type { RejectedTx } from './rejection.ts'
import { type RollupFees, rollupFeesWei, validateFees, validateFunds, validateSender, validateTransaction } from './validate-transaction.ts'

const BASE_FEE_VAULT_BYTES = hexToBytes(BASE_FEE_VAULT)
const L1_FEE_VAULT_BYTES = hexToBytes(L1_FEE_VAULT)
const OPERATOR_FEE_VAULT_BYTES = hexToBytes(OPERATOR_FEE_VAULT)

export function checkTransaction(context: ExecutionContext, tx: SignedTransaction, sender: Bytes20): RejectedTx | null {
  const { session, rules } = context
  const { baseFeeWei, blobBaseFeeWei } = session.env
  const account = { nonce: session.nonce(sender), balanceWei: session.balance(sender), code: session.code(sender) }
  return (
    validateTransaction(tx, rules, context.chainId) ??
    validateSender(tx, account) ??
    validateFees(tx, baseFeeWei, blobBaseFeeWei) ??
    validateFunds(tx, rollupFeesWei(tx, tx.raw, rules, context.l1Values()), account.balanceWei)
  )
}

/**
 * `gasRefund` is gas that the block gives back to the sender. Fees are settled by the gas that remains, which equals the
 * specification's settlement after payment by all gas (protocol/lagoon/sdm.md#settlement); it may lie below the floor of EIP-7623.
 * Returns null when the refund is larger than the gas used; the caller must then abandon the transaction.
 */
export function executeTransaction(context: ExecutionContext, tx: SignedTransaction, sender: Bytes20, gasRefund = 0n): ExecutedTx | null {
  const { session, rules } = context
  const gasPriceWei = effectiveGasPriceWei(tx, session.env.baseFeeWei)
  const blobVersionedHashes = tx.type === TX_BLOB ? tx.blobVersionedHashes : []
  const blobFeeWei = session.env.blobBaseFeeWei * GAS_PER_BLOB * BigInt(blobVersionedHashes.length)
  const fees = rollupFeesWei(tx, tx.raw, rules, context.l1Values())

  session.beginTx(transactionEnv(context, sender, tx.to, { gasPriceWei, blobVersionedHashes, accessList: accessListOf(tx) }))
  session.subBalance(sender, tx.gasLimit * gasPriceWei + blobFeeWei + fees.l1CostWei + fees.operatorFeeWei)
  const authorizations = tx.type === TX_SET_CODE ? tx.authorizationList : []
  const result = executeCall(context, { ...callOf(tx), from: sender, authorizations }, intrinsicGas(tx, context.eth))
  if (gasRefund > result.gasUsed) return null
  const gasUsed = result.gasUsed - gasRefund
  const tipWei = settle(context, sender, tx.gasLimit, gasUsed, gasPriceWei, fees)
  return { kind: 'executed', ...result, gasUsed, gasRefund, tipWei }
}

function callOf({ to, valueWei, data, gasLimit }: SignedTransaction) {
  return { to, valueWei, data, gasLimit }
}

function settle(
  context: ExecutionContext,
  sender: Bytes20,
  gasLimit: bigint,
  gasUsed: bigint,
  gasPriceWei: bigint,
  fees: RollupFees,
): bigint {
  const { session, rules } = context
  const { baseFeeWei, feeRecipient } = session.env
  const values = context.l1Values()
  const operatorWei = values === null ? 0n : operatorFeeWei(gasUsed, rules, values)
  session.addBalance(sender, (gasLimit - gasUsed) * gasPriceWei + fees.operatorFeeWei - operatorWei)
  const tipWei = (rules.feeSink === 'miner' ? gasPriceWei : gasPriceWei - baseFeeWei) * gasUsed
  session.addBalance(feeRecipient, tipWei)
  if (rules.feeSink === 'vaults') {
    session.addBalance(BASE_FEE_VAULT_BYTES, baseFeeWei * gasUsed)
    session.addBalance(L1_FEE_VAULT_BYTES, fees.l1CostWei)
    if (rules.operatorFee !== null) session.addBalance(OPERATOR_FEE_VAULT_BYTES, operatorWei)
  }
  return tipWei
}
