/**
 * Functions that compiled code calls. `frame` is the address of the running frame, `sp` one past the top item of its stack. A
 * function takes its operands from there as the opcode does and writes the result where the opcode leaves it; the caller moves its
 * own `sp`. `gas` is the gas after the opcode's static gas (the fork table). The result is the gas that is left; when it is
 * negative, the frame halts, and FRAME_HALT says why. A function may write FRAME_MEMORY_BYTES, which the caller reads again.
 */

/** Executes the one opcode at FRAME_PC with the frame's sp and gas; returns STATUS_STEPPED or what `run` returns. */
export function step(frame: usize): i32 {
  unreachable()
  return 0
}

/** Makes the memory at least `end` bytes long. */
export function expandMemory(frame: usize, end: u64, gas: i64): i64 {
  unreachable()
  return gas
}

/** Charges for the copied words of `length` bytes as well (3 gas each). */
export function opKeccak256(frame: usize, sp: usize, gas: i64): i64 {
  unreachable()
  return gas
}

export function opExp(frame: usize, sp: usize, gas: i64): i64 {
  unreachable()
  return gas
}

export function opSload(frame: usize, sp: usize, gas: i64): i64 {
  unreachable()
  return gas
}

export function opSstore(frame: usize, sp: usize, gas: i64): i64 {
  unreachable()
  return gas
}

export function opTload(frame: usize, sp: usize, gas: i64): i64 {
  unreachable()
  return gas
}

export function opTstore(frame: usize, sp: usize, gas: i64): i64 {
  unreachable()
  return gas
}

export function opLog(frame: usize, sp: usize, gas: i64, topics: u32): i64 {
  unreachable()
  return gas
}

export function opCalldatacopy(frame: usize, sp: usize, gas: i64): i64 {
  unreachable()
  return gas
}

export function opCodecopy(frame: usize, sp: usize, gas: i64): i64 {
  unreachable()
  return gas
}

export function opReturndatacopy(frame: usize, sp: usize, gas: i64): i64 {
  unreachable()
  return gas
}

export function opMcopy(frame: usize, sp: usize, gas: i64): i64 {
  unreachable()
  return gas
}

export function opBalance(frame: usize, sp: usize, gas: i64): i64 {
  unreachable()
  return gas
}

export function opExtcodesize(frame: usize, sp: usize, gas: i64): i64 {
  unreachable()
  return gas
}

export function opExtcodehash(frame: usize, sp: usize, gas: i64): i64 {
  unreachable()
  return gas
}

export function opExtcodecopy(frame: usize, sp: usize, gas: i64): i64 {
  unreachable()
  return gas
}

/** Length of the return data buffer, for RETURNDATASIZE. */
export function returnDataSize(): u32 {
  unreachable()
  return 0
}

/** Operands and result as in the opcode: `sp - 32` is the first operand; the result replaces the last. */
export function opMul(sp: usize): void {
  unreachable()
}
export function opDiv(sp: usize): void {
  unreachable()
}
export function opSdiv(sp: usize): void {
  unreachable()
}
export function opMod(sp: usize): void {
  unreachable()
}
export function opSmod(sp: usize): void {
  unreachable()
}
export function opAddmod(sp: usize): void {
  unreachable()
}
export function opMulmod(sp: usize): void {
  unreachable()
}
