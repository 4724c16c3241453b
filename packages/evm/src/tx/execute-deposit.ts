/** specs: protocol/deposits.md#execution */
import type { DepositTransaction } from '@keelson/primitives'
import { EMPTY_BYTES } from '@keelson/primitives'
import { executeCall } from './execute-call.ts'
import { type ExecutedTx, type ExecutionContext, transactionEnv } from './execution-context.ts'
import { type IntrinsicGas, intrinsicGas } from './intrinsic-gas.ts'

export function executeDeposit(context: ExecutionContext, tx: DepositTransaction): ExecutedTx {
  const { session, rules } = context
  const unmetered = tx.isSystemTx && !rules.depositGasMetered
  session.beginTx(transactionEnv(context, tx.from, tx.to, {}))
  if (tx.mintWei > 0n) session.addBalance(tx.from, tx.mintWei)
  const intrinsic = intrinsicGas(tx, context.eth)
  const obstacle = findObstacle(context, tx, intrinsic)
  if (obstacle !== null) {
    session.setNonce(tx.from, session.nonce(tx.from) + 1n)
    const gasUsed = unmetered ? 0n : tx.gasLimit
    return {
      kind: 'executed',
      status: 'halt',
      gasUsed,
      output: EMPTY_BYTES,
      created: null,
      gasRefund: 0n,
      error: `failed deposit: ${obstacle}`,
      tipWei: 0n,
    }
  }
  const { from, to, valueWei, data, gasLimit } = tx
  const result = executeCall(context, { from, to, valueWei, data, gasLimit, authorizations: [] }, intrinsic)
  const gasUsed = rules.depositGasMetered ? result.gasUsed : unmetered ? 0n : gasLimit
  return { kind: 'executed', ...result, gasUsed, gasRefund: 0n, tipWei: 0n }
}

function findObstacle({ session, rules, eth }: ExecutionContext, tx: DepositTransaction, intrinsic: IntrinsicGas): string | null {
  if (tx.isSystemTx && rules.depositGasMetered) return 'system transactions are no longer supported'
  if (tx.gasLimit < intrinsic.gas) return `gas limit ${tx.gasLimit} is below ${intrinsic.gas}, the cost before execution`
  if (tx.gasLimit < intrinsic.floor) return `gas limit ${tx.gasLimit} is below ${intrinsic.floor}, the floor for its data`
  if (tx.valueWei > session.balance(tx.from)) return `balance ${session.balance(tx.from)} wei does not cover the value ${tx.valueWei} wei`
  if (tx.to === null && eth.maxInitCodeBytes !== null && tx.data.length > eth.maxInitCodeBytes) {
    return `init code of ${tx.data.length} bytes, at most ${eth.maxInitCodeBytes}`
  }
  return null
}
