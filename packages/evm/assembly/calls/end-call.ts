import {
  CONTEXT,
  FRAME_GAS,
  FRAME_SP,
  RESULT_GAS,
  RESULT_HALT,
  RESULT_OUTPUT,
  RESULT_OUTPUT_LENGTH,
  RESULT_REFUND,
  RESULT_STATUS,
  RETURN_DATA,
  STATUS_HALT,
  STATUS_RETURN,
} from '../../src/wasm/layout'
import { refundCounter } from '../state/refund'
import { setSmall } from '../words'
import { Call } from './call'
import { hasFrames, topFrame } from './frames'
import { returnDataSize } from './return-data'
import { isTraced, traceEnd } from './tracing'

export function failCall(reason: i32): void {
  endCall(STATUS_HALT, reason)
}

/** Expects the output in the return data buffer and the remaining gas in `Call.gas`. */
export function endCall(status: i32, reason: i32): void {
  if (isTraced()) traceEnd(status, reason, Call.gasLimit - Call.gas, RETURN_DATA, returnDataSize())
  if (!hasFrames()) {
    setResult(status, reason, Call.gas)
    store<u32>(CONTEXT, RETURN_DATA, RESULT_OUTPUT)
    store<u32>(CONTEXT, returnDataSize(), RESULT_OUTPUT_LENGTH)
    return
  }
  giveOutput(Call.output, Call.outputLength)
  resume(<u64>(status == STATUS_RETURN), Call.gas)
}

// @ts-ignore: decorator
@inline
export function giveOutput(to: usize, length: u32): void {
  const copied = min<u32>(length, returnDataSize())
  if (copied != 0) memory.copy(to, RETURN_DATA, copied)
}

// @ts-ignore: decorator
@inline
export function resume(result: u64, gas: i64): void {
  const caller = topFrame()
  const sp = <usize>load<u32>(caller, FRAME_SP)
  setSmall(sp, result)
  store<u32>(caller, sp + 32, FRAME_SP)
  store<i64>(caller, load<i64>(caller, FRAME_GAS) + gas, FRAME_GAS)
}

export function setResult(status: i32, reason: i32, gas: i64): void {
  store<u32>(CONTEXT, status, RESULT_STATUS)
  store<u32>(CONTEXT, reason, RESULT_HALT)
  store<i64>(CONTEXT, gas, RESULT_GAS)
  store<i64>(CONTEXT, refundCounter(), RESULT_REFUND)
}
