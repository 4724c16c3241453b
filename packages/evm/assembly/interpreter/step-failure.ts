/**
 * Why a step ends its frame before it executes. Tracers must not take such a step for one that read or wrote. The order is geth's
 * (core/vm/interpreter.go, core/vm/gas_table.go, core/vm/operations_acl.go); what geth checks during execution is no failure here.
 */
import { isInitCodeTooLong, longInitCodeProblem } from '../calls/create-opcode'
import {
  CONTEXT,
  FRAME_GAS,
  FRAME_HALT_AMOUNT,
  FRAME_HALT_OPCODE,
  FRAME_SP,
  FRAME_STACK,
  FRAME_STATIC,
  HALT_NONE,
  HALT_OUT_OF_GAS,
  HALT_STACK_OVERFLOW,
  HALT_STACK_UNDERFLOW,
  HALT_STORAGE_SENTRY,
  HALT_WRITE_PROTECTION,
  OPCODE_GAS,
  OPCODE_NEEDS,
  OPCODE_SPAN,
  OPCODE_TABLE,
  PARAM_STORAGE_SENTRY,
  UNDEFINED_OPCODE,
} from '../../src/wasm/layout'
import { clamp32, isZero } from '../words'
import * as op from './opcodes'
import { dynamicGas, memoryProblem } from './trace-price'

/** The cost that geth reports for the step: without the dynamic part if that was never computed. */
export let stepCost: i64 = 0

/** Whether `stepCost` has the dynamic part. */
export let isPriced: bool = false

/** Returns a HALT constant, and sets `stepCost` and `isPriced`. */
export function stepFailure(frame: usize, opcode: u32): i32 {
  const entry = OPCODE_TABLE + (<usize>opcode << 3)
  const sp = <usize>load<u32>(frame, FRAME_SP)
  stepCost = <i64>load<u32>(entry, OPCODE_GAS)
  isPriced = false
  const stackBytes = <u32>(sp - <usize>load<u32>(frame, FRAME_STACK))
  const needs = <u32>load<u16>(entry, OPCODE_NEEDS)
  if (needs == UNDEFINED_OPCODE) return HALT_NONE
  store<u32>(frame, opcode, FRAME_HALT_OPCODE)
  store<u32>(frame, stackBytes >> 5, FRAME_HALT_AMOUNT)
  if (stackBytes < needs) return HALT_STACK_UNDERFLOW
  if (stackBytes > needs + <u32>load<u16>(entry, OPCODE_SPAN)) return HALT_STACK_OVERFLOW
  const gas = load<i64>(frame, FRAME_GAS) - stepCost
  if (gas < 0) return HALT_OUT_OF_GAS
  const refusal = refusalOf(frame, opcode, sp, gas)
  if (refusal != HALT_NONE) return refusal
  const dynamic = dynamicGas(frame, opcode, sp, gas)
  if (memoryProblem != HALT_NONE) return memoryProblem
  stepCost += dynamic
  isPriced = true
  return dynamic > gas ? HALT_OUT_OF_GAS : HALT_NONE
}

function refusalOf(frame: usize, opcode: u32, sp: usize, gas: i64): i32 {
  const isStatic = load<u32>(frame, FRAME_STATIC) != 0
  switch (opcode) {
    case op.SSTORE: {
      if (isStatic) return HALT_WRITE_PROTECTION
      const sentry = <i64>load<u32>(CONTEXT, PARAM_STORAGE_SENTRY)
      return sentry != 0 && gas <= sentry ? HALT_STORAGE_SENTRY : HALT_NONE
    }
    case op.CREATE:
    case op.CREATE2:
      if (isStatic) return HALT_WRITE_PROTECTION
      if (!isInitCodeTooLong(sp - 96)) return HALT_NONE
      store<u32>(frame, clamp32(sp - 96), FRAME_HALT_AMOUNT)
      return longInitCodeProblem(sp - 64, sp - 96)
    case op.CALL:
      return isStatic && !isZero(sp - 96) ? HALT_WRITE_PROTECTION : HALT_NONE
    case op.SELFDESTRUCT:
      return isStatic ? HALT_WRITE_PROTECTION : HALT_NONE
  }
  return HALT_NONE
}
