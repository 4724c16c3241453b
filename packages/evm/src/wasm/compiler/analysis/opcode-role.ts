import type { ForkCosts } from '../fork-costs.ts'
import * as op from './opcodes.ts'

/**
 * `inline`: compiled here. `step`: the interpreter executes this one opcode, gas included. `leave`: the driver does it, then the
 * function is entered again behind it. `end`: nothing follows. `undefined`: halts.
 */
export type OpcodeRole = 'inline' | 'step' | 'leave' | 'end' | 'undefined'

const LEAVE = new Set([op.CALL, op.CALLCODE, op.DELEGATECALL, op.STATICCALL, op.CREATE, op.CREATE2])
/** SELFDESTRUCT is the driver's as well, which then ends the frame. */
const END = new Set([op.STOP, op.RETURN, op.REVERT, op.JUMP, op.SELFDESTRUCT])

/** Inline opcodes after which gas is charged again, because they change what can be observed or leave the straight line. */
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

/** Opcodes whose static gas this code charges itself: not those of the interpreter. The driver expects that of its opcodes to be paid. */
export const isChargedHere = (opcode: number, role: OpcodeRole): boolean =>
  role === 'inline' || role === 'leave' || (role === 'end' && opcode !== op.RETURN && opcode !== op.REVERT)
