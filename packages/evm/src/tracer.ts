import type { Bytes20, Log } from '@keelson/primitives'

export interface TraceStep {
  readonly pc: number
  readonly opcode: number
  readonly opcodeName: string
  readonly gasLeft: bigint
  readonly gasCost: bigint
  /** With the refund that the step itself earns. */
  readonly gasRefund: bigint
  /** Why the step ends its frame before it executes; null for a step that executes, even if it fails then. */
  readonly failure: string | null
  readonly depth: number
  readonly address: Bytes20
  readonly stack: readonly bigint[]
  readonly memory: Uint8Array
}

export interface TraceFrame {
  readonly kind: 'call' | 'callcode' | 'delegatecall' | 'staticcall' | 'create' | 'create2' | 'selfdestruct'
  readonly depth: number
  readonly from: Bytes20
  /** Code address or beneficiary; null for creations. */
  readonly to: Bytes20 | null
  readonly valueWei: bigint
  readonly gas: bigint
  readonly input: Uint8Array
}

export interface TraceFrameResult {
  readonly status: 'success' | 'revert' | 'halt'
  readonly gasUsed: bigint
  readonly output: Uint8Array
  readonly created: Bytes20 | null
  readonly error: string | null
}

export interface EvmTracer {
  step?(step: TraceStep): void
  /** Also called for refused calls and self-destructs. */
  enter?(frame: TraceFrame): void
  exit?(result: TraceFrameResult): void
  log?(log: Log): void
  /** True ends the call with `evm/interrupted`. */
  stop?(): boolean
}
