import type { OpcodeRole } from '../analysis/opcode-role.ts'
import { CORE_EMITTERS, step } from './core-operations.ts'
import { DIVISION_EMITTERS } from './division.ts'
import { END_EMITTERS, leaveAtUndefined, leaveForCall } from './ends.ts'
import { ENVIRONMENT_EMITTERS } from './environment.ts'
import { JUMP_EMITTERS } from './jumps.ts'
import { MEMORY_EMITTERS } from './memory.ts'
import type { OperationEmitter } from './operation-emitter.ts'
import { PURE_EMITTERS } from './pure.ts'
import { SHIFT_EMITTERS } from './shifts.ts'
import { STACK_EMITTERS } from './stack-operations.ts'

const EMITTERS: ReadonlyMap<number, OperationEmitter> = new Map([
  ...PURE_EMITTERS,
  ...SHIFT_EMITTERS,
  ...DIVISION_EMITTERS,
  ...ENVIRONMENT_EMITTERS,
  ...STACK_EMITTERS,
  ...MEMORY_EMITTERS,
  ...CORE_EMITTERS,
  ...JUMP_EMITTERS,
  ...END_EMITTERS,
])

export const isInline = (opcode: number): boolean => EMITTERS.has(opcode)

export function emitterOf(opcode: number, role: OpcodeRole): OperationEmitter {
  if (role === 'undefined') return leaveAtUndefined
  if (role === 'leave') return leaveForCall
  return EMITTERS.get(opcode) ?? step
}
