/** Hooks into execution for traces. An engine calls them in order; `step` before the operation runs. */
import type { Bytes20 } from '@keelson/primitives'

export interface TraceStep {
  readonly pc: number
  readonly opcode: number
  readonly opcodeName: string
  readonly gasLeft: bigint
  /** Static and dynamic cost of this operation. */
  readonly gasCost: bigint
  readonly gasRefund: bigint
  /** 0 for the outermost frame. */
  readonly depth: number
  readonly address: Bytes20
  /** Bottom first; valid only during the call. */
  readonly stack: readonly bigint[]
  readonly memory: Uint8Array
}

export interface TraceFrame {
  readonly kind: 'call' | 'callcode' | 'delegatecall' | 'staticcall' | 'create' | 'create2'
  readonly depth: number
  readonly from: Bytes20
  /** Null for creations. */
  readonly to: Bytes20 | null
  /** Whose code runs; differs from `to` for callcode and delegatecall. */
  readonly codeAddress: Bytes20 | null
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
  enter?(frame: TraceFrame): void
  exit?(result: TraceFrameResult): void
}
