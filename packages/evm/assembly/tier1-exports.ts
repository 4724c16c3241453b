/**
 * Functions that compiled code calls. `frame` is the address of the running frame, `sp` one past the top item of its stack. A
 * function takes its operands from there as the opcode does and writes the result where the opcode leaves it; the caller moves its
 * own `sp`. `gas` is the gas after the opcode's static gas (the fork table). The result is the gas that is left; when it is
 * negative, the frame halts, and FRAME_HALT says why, or is HALT_NONE when out of gas. A function may write FRAME_MEMORY_BYTES,
 * which the caller reads again.
 */
import { run, Single } from './interpreter/run'
import * as math from './math'

export { returnDataSize } from './calls/return-data'
export { opBalance, opExtcodecopy, opExtcodehash, opExtcodesize } from './interpreter/account-opcodes'
export { opCalldatacopy, opCodecopy, opKeccak256, opMcopy, opReturndatacopy } from './interpreter/copies'
export { opExp } from './interpreter/environment'
export { opLog } from './interpreter/log'
export { expandMemory } from './interpreter/memory'
export { opSload, opSstore, opTload, opTstore } from './interpreter/storage'

/** Executes the one opcode at FRAME_PC with the frame's sp and gas; returns STATUS_STEPPED or what `run` returns. */
export function step(frame: usize): i32 {
  return run<Single>(frame)
}

// The first operand is at sp - 32; the result replaces the last.

export function opMul(sp: usize): void {
  math.multiply(sp - 32, sp - 64, sp - 64)
}

export function opDiv(sp: usize): void {
  math.unsignedDivide(sp - 32, sp - 64, sp - 64)
}

export function opSdiv(sp: usize): void {
  math.signedDivide(sp - 32, sp - 64, sp - 64)
}

export function opMod(sp: usize): void {
  math.unsignedModulo(sp - 32, sp - 64, sp - 64)
}

export function opSmod(sp: usize): void {
  math.signedModulo(sp - 32, sp - 64, sp - 64)
}

export function opAddmod(sp: usize): void {
  math.addModulo(sp - 32, sp - 64, sp - 96, sp - 96)
}

export function opMulmod(sp: usize): void {
  math.multiplyModulo(sp - 32, sp - 64, sp - 96, sp - 96)
}
