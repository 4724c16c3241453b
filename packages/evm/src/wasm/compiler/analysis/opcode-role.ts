import type { ForkCosts } from '../fork-costs.ts'
import * as op from './opcodes.ts'

/** `step`: the interpreter executes one opcode and charges it. `leave`: the driver does, then enters the function again. */
export type OpcodeRole = 'inline' | 'step' | 'leave' | 'end' | 'undefined'

const LEAVE = new Set([op.CALL, op.CALLCODE, op.DELEGATECALL, op.STATICCALL, op.CREATE, op.CREATE2])
const END = new Set([op.STOP, op.RETURN, op.REVERT, op.JUMP, op.SELFDESTRUCT])

/** Gas is charged again after these. */
const SEGMENT_ENDS = new Set([
  op.SLOAD,
  op.SSTORE,
  op.TSTORE,
  op.JUMPI,
  op.BALANCE,
  op.EXTCODESIZE,
  op.EXTCODECOPY,
  op.EXTCODEHASH,
  op.RETURNDATACOPY,
])
const isLog = (opcode: number): boolean => opcode >= op.LOG0 && opcode <= op.LOG4

export function roleOf(opcode: number, fork: ForkCosts, isInline: (opcode: number) => boolean): OpcodeRole {
  if (!fork.defines(opcode) || opcode === op.INVALID) return 'undefined'
  if (END.has(opcode)) return 'end'
  if (LEAVE.has(opcode)) return 'leave'
  return isInline(opcode) ? 'inline' : 'step'
}

export const endsSegment = (opcode: number, role: OpcodeRole): boolean => role !== 'inline' || SEGMENT_ENDS.has(opcode) || isLog(opcode)

/** The interpreter charges its opcodes; the driver does not. */
export const isChargedHere = (opcode: number, role: OpcodeRole): boolean =>
  role === 'inline' || role === 'leave' || (role === 'end' && opcode !== op.RETURN && opcode !== op.REVERT)
