import {
  FRAME_GAS,
  FRAME_HALT,
  FRAME_HALT_OPCODE,
  FRAME_HALT_AMOUNT,
  HALT_INVALID_JUMP,
  HALT_NONE,
  HALT_OUT_OF_GAS,
  HALT_STACK_OVERFLOW,
  HALT_STACK_UNDERFLOW,
  HALT_UNDEFINED_OPCODE,
  OPCODE_NEEDS,
  OPCODE_SPAN,
  OPCODE_TABLE,
  STATUS_HALT,
  UNDEFINED_OPCODE,
} from '../../src/wasm/layout'
import { endProblem } from './memory'

export function refuse(frame: usize, reason: i32): i64 {
  store<u32>(frame, reason, FRAME_HALT)
  return -1
}

/** Halts out of gas unless a reason was recorded; `pc` is the address after the opcode. */
export function haltOpcode(frame: usize, pc: usize, sp: usize, gas: i64): i32 {
  if (load<u32>(frame, FRAME_HALT) == HALT_NONE) store<u32>(frame, HALT_OUT_OF_GAS, FRAME_HALT)
  store<u32>(frame, <u32>load<u8>(pc - 1), FRAME_HALT_OPCODE)
  store<i64>(frame, gas, FRAME_GAS)
  return STATUS_HALT
}

export function haltJump(frame: usize, pc: usize, sp: usize, gas: i64): i32 {
  store<u32>(frame, HALT_INVALID_JUMP, FRAME_HALT)
  return haltOpcode(frame, pc, sp, gas)
}

export function haltOffset(frame: usize, pc: usize, sp: usize, word: usize, length: u64): i32 {
  return haltOpcode(frame, pc, sp, refuse(frame, endProblem(word, length)))
}

/** Checks the stack first, as geth does. */
export function haltChecks(frame: usize, opcode: u32, stackBytes: u32): i32 {
  const needs = <u32>load<u16>(OPCODE_TABLE + (<usize>opcode << 3), OPCODE_NEEDS)
  const span = <u32>load<u16>(OPCODE_TABLE + (<usize>opcode << 3), OPCODE_SPAN)
  store<u32>(frame, opcode, FRAME_HALT_OPCODE)
  store<u32>(frame, stackBytes >> 5, FRAME_HALT_AMOUNT)
  let reason = HALT_OUT_OF_GAS
  if (needs == UNDEFINED_OPCODE) reason = HALT_UNDEFINED_OPCODE
  else if (stackBytes < needs) reason = HALT_STACK_UNDERFLOW
  else if (stackBytes > needs + span) reason = HALT_STACK_OVERFLOW
  store<u32>(frame, reason, FRAME_HALT)
  return STATUS_HALT
}
