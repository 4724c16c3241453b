/** Options: convertParityErrors, includePrecompiles. */
import { formatQuantity } from '@keelson/primitives'
import { type CallFrame, createCallFrameRecorder } from './call-frames.ts'
import type { TraceContext, TracerConfig, TransactionTracer } from './transaction-tracer.ts'

const PARITY_ERRORS: Readonly<Record<string, string>> = {
  'contract creation code storage out of gas': 'Out of gas',
  'out of gas': 'Out of gas',
  'gas uint64 overflow': 'Out of gas',
  'max code size exceeded': 'Out of gas',
  'invalid jump destination': 'Bad jump destination',
  'execution reverted': 'Reverted',
  'return data out of bounds': 'Out of bounds',
  'stack limit reached 1024 (1023)': 'Out of stack',
  'precompiled failed': 'Built-in failed',
  'invalid input length': 'Built-in failed',
}
const PARITY_ERROR_BEGINNINGS: readonly (readonly [string, string])[] = [
  ['out of gas:', 'Out of gas'],
  ['invalid opcode:', 'Bad instruction'],
  ['stack underflow', 'Stack underflow'],
]

export function createFlatCallTracer(config: TracerConfig, context: TraceContext): TransactionTracer {
  const recorder = createCallFrameRecorder(context.budget)
  const keepsPrecompiles = config.includePrecompiles === true
  return {
    hooks: {
      enter: (frame) => void recorder.enter(frame),
      exit(result) {
        const { kind, to } = recorder.exit(result)
        const parent = recorder.current
        if (parent === null || keepsPrecompiles || (kind !== 'call' && kind !== 'staticcall')) return
        if (to !== null && context.precompiles.has(to)) parent.calls.pop()
      },
    },
    start: (tx) => recorder.start(tx),
    end: (outcome) => recorder.end(outcome),
    result: () => (recorder.root === null ? [] : flatten(recorder.root, [], config.convertParityErrors === true, context)),
  }
}

function flatten(frame: CallFrame, traceAddress: readonly number[], parityErrors: boolean, context: TraceContext): unknown[] {
  const { error } = frame
  const { place } = context
  const shown = error === null || error === 'execution reverted'
  const { type, action, result } = partsOf(frame)
  return [
    {
      action,
      blockHash: place?.blockHash ?? null,
      blockNumber: place?.blockNumber ?? 0,
      ...(error === null ? {} : { error: parityErrors ? parityError(error) : error }),
      ...(shown && result !== null ? { result } : {}),
      subtraces: frame.calls.length,
      traceAddress,
      transactionHash: place?.transactionHash ?? null,
      transactionPosition: place?.transactionIndex ?? 0,
      type,
    },
    ...frame.calls.flatMap((call, i) => flatten(call, [...traceAddress, i], parityErrors, context)),
  ]
}

interface FrameParts {
  readonly type: string
  readonly action: Readonly<Record<string, unknown>>
  readonly result: Readonly<Record<string, unknown>> | null
}

export function partsOf(frame: CallFrame): FrameParts {
  const value = formatQuantity(frame.valueWei ?? 0n)
  const gas = formatQuantity(frame.gas)
  const gasUsed = formatQuantity(frame.gasUsed)
  switch (frame.kind) {
    case 'selfdestruct':
      return { type: 'suicide', action: { address: frame.from, balance: value, refundAddress: frame.to }, result: null }
    case 'create':
    case 'create2':
      return {
        type: 'create',
        action: { creationMethod: frame.kind, from: frame.from, gas, init: frame.input, value },
        result: { ...(frame.to === null ? {} : { address: frame.to }), code: frame.output, gasUsed },
      }
    default:
      return {
        type: 'call',
        action: { callType: frame.kind, from: frame.from, gas, input: frame.input, to: frame.to, value },
        result: { gasUsed, output: frame.output },
      }
  }
}

export function parityError(error: string): string {
  return PARITY_ERRORS[error] ?? PARITY_ERROR_BEGINNINGS.find(([beginning]) => error.startsWith(beginning))?.[1] ?? error
}
