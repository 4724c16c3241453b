import { ByteWriter } from './byte-writer.ts'
import type { Instruction, ValueType } from './instructions.ts'

const END = 0x0b
const EMPTY_BLOCK = 0x40
const SIMD = 0xfd
const SIMD_LOAD = 0x00
const SIMD_STORE = 0x0b
const SIMD_SHUFFLE = 0x0d
const SIMD_SPLAT_I64 = 0x12
const SIMD_EXTRACT_I64 = 0x1d
const SIMD_REPLACE_I64 = 0x1e
const REVERSED_LANES = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]

export type Label = number

export class FunctionBody {
  private readonly code = new ByteWriter()
  private nesting = 0

  get size(): number {
    return this.code.length
  }

  op(...instructions: readonly Instruction[]): void {
    for (const instruction of instructions) this.code.byte(instruction)
  }

  get(local: number): void {
    this.indexed(0x20, local)
  }

  set(local: number): void {
    this.indexed(0x21, local)
  }

  tee(local: number): void {
    this.indexed(0x22, local)
  }

  call(functionIndex: number): void {
    this.indexed(0x10, functionIndex)
  }

  getGlobal(index: number): void {
    this.indexed(0x23, index)
  }

  i32(value: number): void {
    this.code.byte(0x41)
    this.code.signed32(value)
  }

  i64(value: bigint): void {
    this.code.byte(0x42)
    this.code.signed64(value)
  }

  load32(offset: number): void {
    this.memory(0x28, 2, offset)
  }

  load64(offset: number): void {
    this.memory(0x29, 3, offset)
  }

  load8(offset: number): void {
    this.memory(0x2d, 0, offset)
  }

  store32(offset: number): void {
    this.memory(0x36, 2, offset)
  }

  store64(offset: number): void {
    this.memory(0x37, 3, offset)
  }

  store8(offset: number): void {
    this.memory(0x3c, 0, offset)
  }

  block(): Label {
    return this.open(0x02)
  }

  loop(): Label {
    return this.open(0x03)
  }

  if(): Label {
    return this.open(0x04)
  }

  end(): void {
    this.code.byte(END)
    this.nesting--
  }

  branch(label: Label): void {
    this.indexed(0x0c, this.nesting - label)
  }

  branchIf(label: Label): void {
    this.indexed(0x0d, this.nesting - label)
  }

  branchTable(labels: readonly Label[], otherwise: Label): void {
    this.indexed(0x0e, labels.length)
    for (const label of labels) this.code.unsigned(this.nesting - label)
    this.code.unsigned(this.nesting - otherwise)
  }

  /** [destination, source, length] */
  memoryCopy(): void {
    this.code.raw([0xfc, 10, 0, 0])
  }

  /** [destination, byte, length] */
  memoryFill(): void {
    this.code.raw([0xfc, 11, 0])
  }

  loadVector(offset: number): void {
    this.simdMemory(SIMD_LOAD, offset)
  }

  storeVector(offset: number): void {
    this.simdMemory(SIMD_STORE, offset)
  }

  reverseBytes(local: number): void {
    this.get(local)
    this.get(local)
    this.code.raw([SIMD, SIMD_SHUFFLE, ...REVERSED_LANES])
  }

  splat64(): void {
    this.code.raw([SIMD, SIMD_SPLAT_I64])
  }

  extractLane64(lane: number): void {
    this.code.raw([SIMD, SIMD_EXTRACT_I64, lane])
  }

  replaceLane64(lane: number): void {
    this.code.raw([SIMD, SIMD_REPLACE_I64, lane])
  }

  finish(locals: readonly ValueType[]): Uint8Array {
    const runs: { type: ValueType; count: number }[] = []
    for (const type of locals) {
      const last = runs.at(-1)
      if (last?.type === type) last.count++
      else runs.push({ type, count: 1 })
    }
    const out = new ByteWriter(this.code.length + 64)
    out.unsigned(runs.length)
    for (const { type, count } of runs) {
      out.unsigned(count)
      out.byte(type)
    }
    out.raw(this.code.written())
    out.byte(END)
    return out.written()
  }

  private open(instruction: number): Label {
    this.code.byte(instruction)
    this.code.byte(EMPTY_BLOCK)
    return ++this.nesting
  }

  private indexed(instruction: number, index: number): void {
    this.code.byte(instruction)
    this.code.unsigned(index)
  }

  private memory(instruction: number, alignment: number, offset: number): void {
    this.code.byte(instruction)
    this.code.byte(alignment)
    this.code.unsigned(offset)
  }

  private simdMemory(instruction: number, offset: number): void {
    this.code.byte(SIMD)
    this.code.byte(instruction)
    this.code.byte(0)
    this.code.unsigned(offset)
  }
}
