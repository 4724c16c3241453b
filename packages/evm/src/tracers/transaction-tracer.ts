/**
 * What a tracer of transactions is told and gives. Names, options and answers are geth's (debug_trace*):
 * other people's tools read them. A tracer serves one transaction.
 */
import type { BlockRules } from '@keelson/chainspec'
import type { Address, Bytes20, Hash } from '@keelson/primitives'
import type { BlockSession } from '../ports.ts'
import type { EvmTracer } from '../tracer.ts'

/** The state as it is at the moment of asking. */
export type TracedState = Pick<BlockSession, 'exists' | 'balance' | 'nonce' | 'code' | 'codeHash' | 'storage'> & {
  readonly env: Pick<BlockSession['env'], 'feeRecipient'>
}

export interface TracedTransaction {
  readonly from: Bytes20
  readonly to: Bytes20 | null
  /** The sender's before execution: it decides where a creation goes. */
  readonly nonce: bigint
  readonly gasLimit: bigint
  readonly valueWei: bigint
  readonly data: Uint8Array
  /** Signers of its EIP-7702 authorizations, invalid ones left out. */
  readonly authorities: readonly Bytes20[]
}

export interface TraceOutcome {
  readonly gasUsed: bigint
  /** Why nothing could be executed at all (a failed deposit); null otherwise. */
  readonly obstacle: string | null
}

export interface TransactionTracer {
  readonly hooks: EvmTracer
  /** Before anything of the transaction has happened. */
  start(tx: TracedTransaction, state: TracedState): void
  /** After everything, refunds and fees included. */
  end(outcome: TraceOutcome): void
  /** JSON, with quantities as geth writes them. */
  result(): unknown
}

/** Bounds a trace in time and room. Both methods throw when it has had enough. */
export interface TraceBudget {
  /** `bytes` more of result, roughly. */
  spend(bytes: number): void
  /** Another step. */
  tick(): void
}

export interface TraceContext {
  readonly rules: BlockRules
  readonly precompiles: ReadonlySet<Address>
  /** Null for calls that are in no block. */
  readonly place: {
    readonly blockHash: Hash | null
    readonly blockNumber: number
    readonly transactionHash: Hash | null
    readonly transactionIndex: number
  } | null
  readonly budget: TraceBudget
}

/** The options object a caller gave with the tracer's name. */
export type TracerConfig = Readonly<Record<string, unknown>>
