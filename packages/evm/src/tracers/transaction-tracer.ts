/** Names, options and results are geth's (debug_trace*). A tracer serves one transaction. */
import type { BlockRules } from '@keelson/chainspec'
import type { Address, Bytes20, Hash } from '@keelson/primitives'
import type { BlockSession } from '../ports.ts'
import type { EvmTracer } from '../tracer.ts'

/** The state at the time of the call. */
export type TracedState = Pick<BlockSession, 'exists' | 'balance' | 'nonce' | 'code' | 'codeHash' | 'storage'> & {
  readonly env: Pick<BlockSession['env'], 'feeRecipient'>
}

export interface TracedTransaction {
  readonly from: Bytes20
  readonly to: Bytes20 | null
  /** The sender's nonce before execution. */
  readonly nonce: bigint
  readonly gasLimit: bigint
  readonly valueWei: bigint
  readonly data: Uint8Array
  /** Signers of valid EIP-7702 authorizations. */
  readonly authorities: readonly Bytes20[]
}

export interface TraceOutcome {
  readonly gasUsed: bigint
  /** Reason why a deposit could not be executed, else null. */
  readonly obstacle: string | null
}

export interface TransactionTracer {
  readonly hooks: EvmTracer
  /** Called before any change. */
  start(tx: TracedTransaction, state: TracedState): void
  /** Called after refunds and fees. */
  end(outcome: TraceOutcome): void
  /** Returns JSON in geth's format. */
  result(): unknown
}

/** Methods throw when it is exhausted. */
export interface TraceBudget {
  /** Estimated bytes of the result. */
  spend(bytes: number): void
  tick(): void
}

export interface TraceContext {
  readonly rules: BlockRules
  readonly precompiles: ReadonlySet<Address>
  /** Null for a call outside a block. */
  readonly place: {
    readonly blockHash: Hash | null
    readonly blockNumber: number
    readonly transactionHash: Hash | null
    readonly transactionIndex: number
  } | null
  readonly budget: TraceBudget
}

/** Options from the caller. */
export type TracerConfig = Readonly<Record<string, unknown>>
