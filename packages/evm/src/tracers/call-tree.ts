/** The calls of a transaction with the gas of their execution: without what the transaction itself costs. */
import { formatQuantity } from '@keelson/primitives'
import { causeOf, lacksGas } from '../wasm/halt-text.ts'
import { type CallFrame, createCallFrameRecorder } from './call-frames.ts'
import { parityError, partsOf } from './flat-call-tracer.ts'
import type { TraceContext, TracedTransaction, TransactionTracer } from './transaction-tracer.ts'

export interface CallTree extends TransactionTracer {
  /** Null before the end. */
  readonly root: CallFrame | null
}

export function createCallTree({ budget }: Pick<TraceContext, 'budget'>): CallTree {
  const recorder = createCallFrameRecorder(budget)
  let tx: TracedTransaction | null = null
  return {
    hooks: { enter: (frame) => void recorder.enter(frame), exit: (result) => void recorder.exit(result) },
    start(started) {
      tx = started
    },
    end(outcome) {
      if (recorder.root !== null || tx === null) return
      recorder.start(tx)
      recorder.end(outcome)
    },
    get root() {
      return recorder.root
    },
    result: () => recorder.root,
  }
}

export interface ParityTrace {
  readonly type: string
  readonly action: Readonly<Record<string, unknown>>
  readonly result: Readonly<Record<string, unknown>> | null
  readonly error?: string
  readonly subtraces: number
  readonly traceAddress: readonly number[]
}

/** OpenEthereum's form, which leaves out calls of precompiles. */
export function parityTraces(root: CallFrame, precompiles: TraceContext['precompiles']): readonly ParityTrace[] {
  const traces: ParityTrace[] = []
  const visit = (frame: CallFrame, traceAddress: readonly number[]): void => {
    const calls = frame.calls.filter(({ kind, to }) => (kind !== 'call' && kind !== 'staticcall') || to === null || !precompiles.has(to))
    const { type, action, result } = partsOf(frame)
    const shown = frame.error === null || (type === 'call' && frame.error === REVERTED)
    traces.push({
      type,
      action,
      result: shown ? result : null,
      ...(frame.error === null ? {} : { error: textOf(frame.error, frame.to !== null && precompiles.has(frame.to)) }),
      subtraces: calls.length,
      traceAddress,
    })
    for (const [i, call] of calls.entries()) visit(call, [...traceAddress, i])
  }
  visit(root, [])
  return traces
}

const REVERTED = 'execution reverted'

/** Texts that geth's tracer leaves as they are, or takes for a lack of gas. */
const BEGINNINGS: readonly (readonly [string, string])[] = [
  ['write protection', 'Mutable Call In Static Context'],
  ['insufficient balance for transfer', 'Insufficient balance for transfer'],
  ['max code size exceeded', 'Out of gas'],
]
const BUILT_IN_FAILED = 'Built-in failed'

function textOf(error: string, isPrecompile: boolean): string {
  const cause = causeOf(error)
  const found = BEGINNINGS.find(([beginning]) => cause.startsWith(beginning))?.[1]
  if (found !== undefined) return found
  return isPrecompile && !lacksGas(error) ? BUILT_IN_FAILED : parityError(error)
}

/** Calls that moved value, contracts created and destroyed, as Otterscan numbers them. */
const OPERATIONS: Readonly<Partial<Record<CallFrame['kind'], number>>> = { call: 0, selfdestruct: 1, create: 2, create2: 3 }

/** Without the transaction's own call, and without what failed. */
export function internalOperations(root: CallFrame): readonly Readonly<Record<string, unknown>>[] {
  return root.calls.flatMap(function operationsOf(frame: CallFrame): readonly Readonly<Record<string, unknown>>[] {
    if (frame.error !== null) return []
    const type = OPERATIONS[frame.kind]
    const isShown = type !== undefined && (frame.kind !== 'call' || frame.valueWei !== 0n)
    const own = isShown ? [{ type, from: frame.from, to: frame.to, value: formatQuantity(frame.valueWei ?? 0n) }] : []
    return [...own, ...frame.calls.flatMap(operationsOf)]
  })
}

export interface CallEntry {
  readonly type: string
  readonly depth: number
  readonly from: string
  readonly to: string | null
  readonly value: string | null
  readonly input: string
  readonly output: string
}

/** The tree as a list with depths, as Otterscan shows it. */
export function callEntries(root: CallFrame): readonly CallEntry[] {
  const entries: CallEntry[] = []
  const visit = (frame: CallFrame, depth: number): void => {
    const { kind, from, to, valueWei, input, output } = frame
    entries.push({ type: kind.toUpperCase(), depth, from, to, value: formatQuantity(valueWei ?? 0n), input, output })
    for (const call of frame.calls) visit(call, depth + 1)
  }
  visit(root, 0)
  return entries
}
