/** Takes an OP chain's fees before an L1 execution and pays them out after. specs: protocol/exec-engine.md#fees */
import { createTxFromRLP, type TypedTransaction } from '@ethereumjs/tx'
import { runTx } from '@ethereumjs/vm'
import { BASE_FEE_VAULT, L1_FEE_VAULT, OPERATOR_FEE_VAULT } from '../addresses.ts'
import { invalidBlock } from '../errors.ts'
import type { Executor } from '../executor.ts'
import { daFootprintGas, l1FeeWei, operatorFeeWei } from '../fees/rollup-fees.ts'
import { judging } from '../library-errors.ts'
import type { ExecutedTransaction } from '../receipts.ts'

const BLOB_TRANSACTION = 3

export interface ExecutedUserTransaction extends ExecutedTransaction {
  readonly daFootprintGas: bigint
  /** Before the block's refund. */
  readonly executedGas: bigint
}

export async function runTransaction(
  executor: Executor,
  raw: Uint8Array,
  gasLeft: bigint,
  refund: bigint,
): Promise<ExecutedUserTransaction> {
  const { block, rules, state } = executor
  const slots = await executor.l1Slots()
  const tx = await judging(() => decode(executor, raw))
  if (tx.gasLimit > gasLeft) throw invalidBlock(`a gas limit of ${tx.gasLimit} is above the ${gasLeft} gas left in the block`)
  const sender = tx.getSenderAddress()
  const l1Fee = l1FeeWei(raw, rules, slots)
  const operatorFeeAhead = operatorFeeWei(tx.gasLimit, rules, slots)
  const balance = (await state.getAccount(sender))?.balance ?? 0n
  if (balance < l1Fee + operatorFeeAhead) throw invalidBlock(`the balance of ${sender} does not cover the L1 and operator fees`)
  await state.addBalance(sender, -(l1Fee + operatorFeeAhead))
  const result = await judging(() => runTx(executor.vm, { tx, block }))
  const executedGas = result.totalGasSpent
  if (refund > executedGas) throw invalidBlock(`a refund of ${refund} gas for a transaction that used ${executedGas}`)
  const gasUsed = executedGas - refund
  const baseFee = block.header.baseFeePerGas ?? 0n
  await giveBack(executor, tx, refund, baseFee)
  const operatorFee = operatorFeeWei(gasUsed, rules, slots)
  await state.addBalance(sender, operatorFeeAhead - operatorFee)
  await state.addBalance(BASE_FEE_VAULT, baseFee * gasUsed)
  await state.addBalance(L1_FEE_VAULT, l1Fee)
  await state.addBalance(OPERATOR_FEE_VAULT, operatorFee)
  return {
    gasUsed,
    executedGas,
    succeeded: result.execResult.exceptionError === undefined,
    logs: result.execResult.logs ?? [],
    depositNonce: null,
    daFootprintGas: daFootprintGas(raw, rules, slots),
  }
}

/** The library paid the sender's price and the beneficiary's tip for all gas. specs: protocol/lagoon/sdm.md#settlement */
async function giveBack({ state, block }: Executor, tx: TypedTransaction, refund: bigint, baseFee: bigint): Promise<void> {
  if (refund === 0n) return
  const tip = tx.getEffectivePriorityFee(baseFee)
  await state.addBalance(tx.getSenderAddress(), refund * (baseFee + tip))
  await state.addBalance(block.header.coinbase, -refund * tip)
}

function decode({ common, rules }: Executor, raw: Uint8Array): TypedTransaction {
  const tx = createTxFromRLP(raw, { common })
  if (tx.type === BLOB_TRANSACTION && !rules.blobTransactions) throw invalidBlock('blob transactions do not exist on an OP chain')
  return tx
}
