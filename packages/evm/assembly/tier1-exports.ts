/**
 * Functions that compiled code calls: `sp` is one past the top stack item, and results replace operands as the opcode does, but
 * the caller moves its own `sp`. `gas` excludes the static gas; a negative result halts the frame for FRAME_HALT, or out of gas
 * if that is HALT_NONE. The caller reads FRAME_MEMORY_BYTES again.
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

/** Executes one opcode at FRAME_PC; returns STATUS_STEPPED or the result of `run`. */
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
