import {
  CONTEXT,
  PARAM_TRACED,
  TRACE,
  TRACE_DEPTH,
  TRACE_FROM,
  TRACE_GAS,
  TRACE_GAS_USED,
  TRACE_HALT,
  TRACE_INPUT,
  TRACE_INPUT_LENGTH,
  TRACE_KIND,
  TRACE_OUTPUT,
  TRACE_OUTPUT_LENGTH,
  TRACE_STATUS,
  TRACE_STEPS,
  TRACE_TO,
  TRACE_VALUE,
} from '../../src/wasm/layout'
import { traceEnter, traceExit } from '../host'
import { copyAddress, copyWord } from '../words'
import { Call } from './call'
import { nextDepth } from './frames'

// @ts-ignore: decorator
@inline
export function isTraced(): bool {
  return load<u32>(CONTEXT, PARAM_TRACED) != 0
}

// @ts-ignore: decorator
@inline
export function tracesSteps(): bool {
  return load<u32>(CONTEXT, PARAM_TRACED) == TRACE_STEPS
}

export function traceCall(from: usize, to: usize): void {
  store<u32>(TRACE, Call.kind, TRACE_KIND)
  store<u32>(TRACE, nextDepth(), TRACE_DEPTH)
  store<i64>(TRACE, Call.gas, TRACE_GAS)
  store<u32>(TRACE, Call.input, TRACE_INPUT)
  store<u32>(TRACE, Call.inputLength, TRACE_INPUT_LENGTH)
  copyAddress(TRACE + TRACE_FROM, from)
  copyAddress(TRACE + TRACE_TO, to)
  copyWord(TRACE + TRACE_VALUE, Call.value)
  traceEnter()
}

export function traceEnd(status: i32, reason: i32, gasUsed: i64, output: usize, outputLength: u32): void {
  store<u32>(TRACE, status, TRACE_STATUS)
  store<u32>(TRACE, reason, TRACE_HALT)
  store<i64>(TRACE, gasUsed, TRACE_GAS_USED)
  store<u32>(TRACE, output, TRACE_OUTPUT)
  store<u32>(TRACE, outputLength, TRACE_OUTPUT_LENGTH)
  traceExit()
}
