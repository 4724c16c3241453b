/** Options: onlyTopCall, withLog. */
import { formatData, formatQuantity } from '@keelson/primitives'
import { decodeRevertReason } from '../tx/revert-reason.ts'
import { type CallFrame, createCallFrameRecorder } from './call-frames.ts'
import type { TraceContext, TracerConfig, TransactionTracer } from './transaction-tracer.ts'

export function createCallTracer(config: TracerConfig, context: TraceContext): TransactionTracer {
  const onlyTopCall = config.onlyTopCall === true
  const withLog = config.withLog === true
  const recorder = createCallFrameRecorder(context.budget)
  let depth = 0
  const wanted = () => !onlyTopCall || depth <= 1
  return {
    hooks: {
      enter(frame) {
        depth++
        if (wanted()) recorder.enter(frame)
      },
      exit(result) {
        if (wanted()) recorder.exit(result)
        depth--
      },
      ...(withLog ? { log: (log) => void (wanted() && recorder.log(log)) } : {}),
    },
    start: (tx) => recorder.start(tx),
    end: (outcome) => recorder.end(outcome),
    result: () => (recorder.root === null ? null : callFrameToJson(recorder.root)),
  }
}

/** The field order is geth's. */
export function callFrameToJson(frame: CallFrame): Record<string, unknown> {
  const reason = frame.revertData === null ? null : decodeRevertReason(frame.revertData)
  return {
    from: frame.from,
    gas: formatQuantity(frame.gas),
    gasUsed: formatQuantity(frame.gasUsed),
    ...(frame.to === null ? {} : { to: frame.to }),
    input: frame.input,
    ...(frame.output === '0x' ? {} : { output: frame.output }),
    ...(frame.error === null ? {} : { error: frame.error }),
    ...(reason === null ? {} : { revertReason: reason }),
    ...(frame.calls.length === 0 ? {} : { calls: frame.calls.map(callFrameToJson) }),
    ...logsToJson(frame),
    ...(frame.valueWei === null ? {} : { value: formatQuantity(frame.valueWei) }),
    type: frame.kind.toUpperCase(),
  }
}

function logsToJson({ logs }: CallFrame): { readonly logs?: unknown } {
  if (logs.length === 0) return {}
  return {
    logs: logs.map(({ log, index, position }) => ({
      address: log.address,
      topics: log.topics,
      data: formatData(log.data),
      index: formatQuantity(index),
      position: formatQuantity(position),
    })),
  }
}
