import { type Address, type Bytes20, bytesToHex, type Hex, type Log, toAddress } from '@keelson/primitives'
import type { TraceFrame, TraceFrameResult } from '../tracer.ts'
import { createAddress } from '../tx/contract-address.ts'
import type { TraceBudget, TracedTransaction, TraceOutcome } from './transaction-tracer.ts'

export interface FrameLog {
  readonly log: Log
  /** Counts logs of failed calls. */
  readonly index: number
  readonly position: number
}

export interface CallFrame {
  readonly kind: TraceFrame['kind']
  readonly from: Address
  to: Address | null
  readonly gas: bigint
  gasUsed: bigint
  readonly input: Hex
  output: Hex
  error: string | null
  revertData: Uint8Array | null
  readonly valueWei: bigint | null
  readonly calls: CallFrame[]
  readonly logs: FrameLog[]
}

export interface CallFrameRecorder {
  readonly current: CallFrame | null
  readonly root: CallFrame | null
  start(tx: TracedTransaction): void
  enter(frame: TraceFrame): CallFrame
  exit(result: TraceFrameResult): CallFrame
  log(log: Log): void
  end(outcome: TraceOutcome): void
}

const FRAME_BYTES = 300
const LOG_BYTES = 150

export function createCallFrameRecorder(budget: TraceBudget): CallFrameRecorder {
  const open: CallFrame[] = []
  let root: CallFrame | null = null
  let tx: TracedTransaction | null = null
  let logCount = 0

  const rootOf = (started: TracedTransaction): CallFrame => ({
    kind: started.to === null ? 'create' : 'call',
    from: toAddress(started.from),
    to: toAddress(started.to ?? createAddress(started.from, started.nonce)),
    gas: started.gasLimit,
    gasUsed: 0n,
    input: bytesToHex(started.data),
    output: '0x',
    error: null,
    revertData: null,
    valueWei: started.valueWei,
    calls: [],
    logs: [],
  })

  return {
    get current() {
      return open[open.length - 1] ?? null
    },
    get root() {
      return root
    },
    start(started) {
      tx = started
    },
    enter(entered) {
      budget.spend(FRAME_BYTES + 2 * entered.input.length)
      const isRoot = entered.depth === 0 && tx !== null
      const frame = isRoot ? rootOf(tx as TracedTransaction) : childOf(entered)
      open[open.length - 1]?.calls.push(frame)
      open.push(frame)
      root ??= frame
      return frame
    },
    exit(result) {
      const frame = open.pop() as CallFrame
      frame.gasUsed = result.gasUsed
      close(frame, result)
      budget.spend(2 * (frame.output.length >> 1))
      return frame
    },
    log(log) {
      budget.spend(LOG_BYTES + 2 * log.data.length)
      const frame = open[open.length - 1]
      frame?.logs.push({ log, index: logCount++, position: frame.calls.length })
    },
    end(outcome) {
      if (root === null && tx !== null) {
        root = rootOf(tx)
        root.error = outcome.obstacle
        if (tx.to === null) root.to = null
      }
      if (root !== null) {
        root.gasUsed = outcome.gasUsed
        dropFailedLogs(root, false)
      }
    },
  }
}

function childOf(entered: TraceFrame): CallFrame {
  return {
    kind: entered.kind,
    from: toAddress(entered.from),
    to: entered.to === null ? null : toAddress(entered.to),
    gas: entered.gas,
    gasUsed: 0n,
    input: bytesToHex(entered.input),
    output: '0x',
    error: null,
    revertData: null,
    valueWei: entered.kind === 'staticcall' ? null : entered.valueWei,
    calls: [],
    logs: [],
  }
}

function close(frame: CallFrame, result: TraceFrameResult): void {
  const creating = frame.kind === 'create' || frame.kind === 'create2'
  if (result.status === 'success') {
    frame.output = bytesToHex(result.output)
    if (creating) frame.to = result.created === null ? null : addressOf(result.created)
    return
  }
  frame.error = result.error
  if (creating) frame.to = null
  if (result.status === 'revert' && result.output.length > 0) {
    frame.output = bytesToHex(result.output)
    frame.revertData = result.output
  }
}

function addressOf(bytes: Bytes20): Address {
  return toAddress(bytes)
}

function dropFailedLogs(frame: CallFrame, failedAbove: boolean): void {
  const failed = failedAbove || frame.error !== null
  if (failed) frame.logs.length = 0
  for (const call of frame.calls) dropFailedLogs(call, failed)
}
