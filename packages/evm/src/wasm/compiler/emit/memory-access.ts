import { FRAME_MEMORY_BYTES, HALT_GAS_OVERFLOW, HALT_MEMORY_OVERFLOW, HALT_OUT_OF_GAS } from '../../layout.ts'
import { Instruction } from '../encoding/instructions.ts'
import { constantOf, type Word } from '../values/limb.ts'
import type { BlockEmitter } from './block-emitter.ts'
import { FRAME, GAS, MEMORY, MEMORY_BYTES, OFFSET, TARGET } from './registers.ts'

/** Larger offsets cost more gas than any frame has. */
const MAX_OFFSET_BITS = 31n
/** As `endProblem` of the interpreter: geth reports ends beyond these as overflows. */
const MAX_PRICED_BYTES = 0x1fffffffe0n
const MAX_ROUNDED_BYTES = 2n ** 64n - 32n

export interface MemoryPlace {
  readonly pushAddress: () => void
  readonly offset: number
}

/** Expands memory and charges for it. */
export function accessMemory(e: BlockEmitter, offset: Word, size: number): MemoryPlace {
  const constant = constantOf(offset)
  if (constant !== null && constant < 1n << (MAX_OFFSET_BITS - 1n)) return accessConstant(e, Number(constant), size)
  checkOffset(e, offset, BigInt(size))
  e.values.push(offset[0])
  e.body.op(Instruction.i32WrapI64)
  e.body.tee(OFFSET)
  e.body.i32(size)
  e.body.op(Instruction.i32Add)
  e.body.get(MEMORY_BYTES)
  e.body.op(Instruction.i32GtU)
  e.body.if()
  expand(e, () => {
    e.body.get(OFFSET)
    e.body.i32(size)
    e.body.op(Instruction.i32Add, Instruction.i64ExtendI32U)
  })
  e.body.end()
  e.body.get(MEMORY)
  e.body.get(OFFSET)
  e.body.op(Instruction.i32Add)
  e.body.set(OFFSET)
  return { pushAddress: () => e.body.get(OFFSET), offset: 0 }
}

function accessConstant(e: BlockEmitter, offset: number, size: number): MemoryPlace {
  const end = offset + size
  if (end > e.knownMemoryBytes) {
    e.body.get(MEMORY_BYTES)
    e.body.i32(end)
    e.body.op(Instruction.i32LtU)
    e.body.if()
    expand(e, () => e.body.i64(BigInt(end)))
    e.body.end()
    e.knownMemoryBytes = Math.ceil(end / 32) * 32
  }
  return { pushAddress: () => e.body.get(MEMORY), offset }
}

function checkOffset(e: BlockEmitter, offset: Word, size: bigint): void {
  const { body, values } = e
  values.pushUnion(offset.slice(1))
  values.push(offset[0])
  body.i64(MAX_OFFSET_BITS)
  body.op(Instruction.i64ShrU, Instruction.i64Or)
  body.i64(0n)
  body.op(Instruction.i64Ne)
  body.if()
  body.i32(HALT_GAS_OVERFLOW)
  body.i32(HALT_MEMORY_OVERFLOW)
  body.i32(HALT_OUT_OF_GAS)
  values.push(offset[0])
  body.i64(MAX_PRICED_BYTES - size)
  body.op(Instruction.i64GtU, Instruction.select)
  values.pushUnion(offset.slice(1))
  body.i64(0n)
  body.op(Instruction.i64Ne)
  values.push(offset[0])
  body.i64(MAX_ROUNDED_BYTES - size)
  body.op(Instruction.i64GtU, Instruction.i32Or, Instruction.select)
  body.set(TARGET)
  body.branch(e.exits.halt)
  body.end()
}

/** `pushEnd` pushes an i64. */
export function expand(e: BlockEmitter, pushEnd: () => void): void {
  e.body.get(FRAME)
  pushEnd()
  e.body.get(GAS)
  e.callCore('expandMemory')
  settle(e)
  reloadMemoryBytes(e)
}

/** Pops the gas left, negative when the frame halts. */
export function settle(e: BlockEmitter): void {
  e.body.tee(GAS)
  e.body.i64(0n)
  e.body.op(Instruction.i64LtS)
  e.body.branchIf(e.exits.halted)
}

export function reloadMemoryBytes(e: BlockEmitter): void {
  e.body.get(FRAME)
  e.body.load32(FRAME_MEMORY_BYTES)
  e.body.set(MEMORY_BYTES)
}
