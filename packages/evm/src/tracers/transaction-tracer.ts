/** Names, options and results are geth's. */
import type { BlockRules } from '@keelson/chainspec'
import type { Address, Bytes20, Hash } from '@keelson/primitives'
import type { BlockSession } from '../ports.ts'
import type { EvmTracer } from '../tracer.ts'

export type TracedState = Pick<BlockSession, 'exists' | 'balance' | 'nonce' | 'code' | 'codeHash' | 'storage'> & {
  readonly env: Pick<BlockSession['env'], 'feeRecipient'>
}

export interface TracedTransaction {
  readonly from: Bytes20
  readonly to: Bytes20 | null
  readonly nonce: bigint
  readonly gasLimit: bigint
  readonly valueWei: bigint
  readonly data: Uint8Array
  readonly authorities: readonly Bytes20[]
}

export interface TraceOutcome {
  readonly gasUsed: bigint
  readonly obstacle: string | null
}

export interface TransactionTracer {
  readonly hooks: EvmTracer
  start(tx: TracedTransaction, state: TracedState): void
  end(outcome: TraceOutcome): void
  result(): unknown
}

export interface TraceBudget {
  spend(bytes: number): void
}

export interface TraceContext {
  readonly rules: BlockRules
  readonly precompiles: ReadonlySet<Address>
  readonly place: {
    readonly blockHash: Hash | null
    readonly blockNumber: number
    readonly transactionHash: Hash | null
    readonly transactionIndex: number
  } | null
  readonly budget: TraceBudget
}

export type TracerConfig = Readonly<Record<string, unknown>>
