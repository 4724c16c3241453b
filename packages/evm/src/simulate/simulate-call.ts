import type { BlockRules } from '@keelson/chainspec'
import {
  type AccessList,
  type Bytes20,
  type Crypto,
  effectiveGasPriceWei,
  type Hash,
  type Log,
  maxFeePerGasWei,
  TX_BLOB,
  TX_SET_CODE,
  type UnsignedTransaction,
} from '@keelson/primitives'
import { createBlockEnv } from '../block/block-env.ts'
import type { HeaderSkeleton } from '../block/block-types.ts'
import type { BlockEnv, BlockSession, EvmEngine, SessionOptions, StateView } from '../ports.ts'
import { tracedTransaction } from '../tracers/trace-transaction.ts'
import type { TransactionTracer } from '../tracers/transaction-tracer.ts'
import { executeCall } from '../tx/execute-call.ts'
import { createExecutionContext, transactionEnv } from '../tx/execution-context.ts'
import { intrinsicGas } from '../tx/intrinsic-gas.ts'
import type { RejectedTx } from '../tx/rejection.ts'
import { NO_ROLLUP_FEES, validateFees, validateFunds, validateTransaction } from '../tx/validate-transaction.ts'
import { applyStateOverrides, type StateOverride } from './state-overrides.ts'
import { createViewOverlay } from './view-overlay.ts'

export interface SimulationContext {
  readonly engine: EvmEngine
  readonly view: StateView
  readonly header: HeaderSkeleton
  readonly rules: BlockRules
  readonly chainId: bigint
  readonly crypto: Crypto
  readonly blockHash: (number: number) => Hash | null
  readonly overrides?: readonly StateOverride[]
  readonly env?: Partial<BlockEnv>
  readonly tracer?: TransactionTracer
  readonly session?: Omit<SessionOptions, 'tracer'>
}

export interface SimulatedCall {
  readonly from: Bytes20
  /** If its fees are zero, nothing is charged. */
  readonly tx: UnsignedTransaction
}

export type SimulationResult =
  | {
      readonly kind: 'executed'
      readonly status: 'success' | 'revert' | 'halt'
      readonly gasUsed: bigint
      /** Before the refund. */
      readonly gasSpent: bigint
      readonly output: Uint8Array
      readonly logs: readonly Log[]
      readonly created: Bytes20 | null
      readonly error: string | null
      readonly accessed: AccessList
    }
  | RejectedTx

/** Ignores nonce, code and rollup fees. */
export function simulateCall(context: SimulationContext, { from, tx }: SimulatedCall): SimulationResult {
  const free = maxFeePerGasWei(tx) === 0n
  const env = { ...createBlockEnv(context), ...context.env, ...(free ? { baseFeeWei: 0n } : {}) }
  const { tracer } = context
  const overrides = context.overrides ?? []
  const overlay = overrides.length === 0 ? null : createViewOverlay(context.view)
  if (overlay !== null) applyStateOverrides(overlay, overrides)
  const session = context.engine.open(overlay ?? context.view, env, context.rules, { ...context.session, tracer: tracer?.hooks ?? null })
  const problem = checkCall(context, session, from, tx, free)
  if (problem !== null) return problem

  tracer?.start(tracedTransaction(tx, from, session.nonce(from), context.crypto, context.chainId), session)
  const execution = createExecutionContext(session, context.rules, context.crypto)
  const gasPriceWei = effectiveGasPriceWei(tx, env.baseFeeWei)
  const accessList = 'accessList' in tx ? tx.accessList : []
  const blobVersionedHashes = tx.type === TX_BLOB ? tx.blobVersionedHashes : []
  session.beginTx(transactionEnv(execution, from, tx.to, { gasPriceWei, blobVersionedHashes, accessList }))
  session.subBalance(from, tx.gasLimit * gasPriceWei)
  const authorizations = tx.type === TX_SET_CODE ? tx.authorizationList : []
  const { to, valueWei, data, gasLimit } = tx
  const result = executeCall(execution, { from, to, valueWei, data, gasLimit, authorizations }, intrinsicGas(tx, execution.eth))
  const accessed = session.accessed()
  const { logs } = session.endTx()
  const { status, gasUsed, output, created, error } = result
  tracer?.end({ gasUsed, obstacle: null })
  return { kind: 'executed', status, gasUsed, gasSpent: gasLimit - result.gasLeft, output, logs, created, error, accessed }
}

function checkCall(
  context: SimulationContext,
  session: BlockSession,
  from: Bytes20,
  tx: UnsignedTransaction,
  free: boolean,
): RejectedTx | null {
  const uncapped = { ...context.rules, maxTransactionGas: null }
  return (
    validateTransaction(tx, uncapped, context.chainId) ??
    (free ? null : validateFees(tx, session.env.baseFeeWei, session.env.blobBaseFeeWei)) ??
    validateFunds(tx, NO_ROLLUP_FEES, session.balance(from))
  )
}
