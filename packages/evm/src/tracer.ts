/** Hooks into execution for traces. An engine calls them in order; `step` before the operation runs. */
import type { Bytes20, Log } from '@keelson/primitives'

export interface TraceStep {
  readonly pc: number
  readonly opcode: number
  readonly opcodeName: string
  readonly gasLeft: bigint
  /** Static and dynamic cost of this operation, with what a call hands on. */
  readonly gasCost: bigint
  readonly gasRefund: bigint
  /** 0 for the outermost frame. */
  readonly depth: number
  /** Whose storage the code works on. */
  readonly address: Bytes20
  /** Bottom first; valid only during the call. */
  readonly stack: readonly bigint[]
  /** As it was before the operation, whole words. */
  readonly memory: Uint8Array
}

export interface TraceFrame {
  readonly kind: 'call' | 'callcode' | 'delegatecall' | 'staticcall' | 'create' | 'create2' | 'selfdestruct'
  readonly depth: number
  /** The account that acts: for delegatecall the one that lends its storage, not its caller. */
  readonly from: Bytes20
  /** Whose code runs, or who inherits; null for creations. */
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
  /** In the words of geth, which tools match; null on success. */
  readonly error: string | null
}

export interface EvmTracer {
  step?(step: TraceStep): void
  /** Also for calls that fail before any code runs, and for the transfer of a self-destruct; `exit` follows. */
  enter?(frame: TraceFrame): void
  exit?(result: TraceFrameResult): void
  /** Whether the frame is undone later is not known yet. */
  log?(log: Log): void
  /**
   * Asked after each step, or, when nothing else is asked for, at jumps and calls: a promise, which must not reject, holds
   * execution until it settles. One that never does ends it there; then `BlockSession` has to be told (`abandonTx`).
   */
  pause?(): Promise<void> | null
}
