import * as layout from '../layout.ts'
import { SHAPE } from './analysis/opcode-shape.ts'
import * as op from './analysis/opcodes.ts'
import { CORE_MODULE, compile, JUMP_TABLE_IMPORT, MEMORY_IMPORT, RUN_EXPORT } from './compile.ts'
import { CORE_FUNCTION_NAMES } from './emit/core-functions.ts'
import { ForkCosts } from './fork-costs.ts'

declare const WebAssembly: {
  readonly Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer }
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: Record<string, unknown> }
}

const PAGES = 4
const FRAME_AT = 0x100
const SCRATCH_TABLE_AT = 0x400
const INPUT_AT = 0x2000
const STACK_AT = 0x4000
const MEMORY_AT = 0x20000
const MASK = (1n << 256n) - 1n
const ENTRY_BYTES = 8

export function flatCosts(): ForkCosts {
  const table = new Uint8Array(256 * ENTRY_BYTES)
  const view = new DataView(table.buffer)
  for (let opcode = 0; opcode < 256; opcode++) {
    view.setUint32(opcode * ENTRY_BYTES + layout.OPCODE_GAS, 3, true)
    view.setUint16(opcode * ENTRY_BYTES + layout.OPCODE_NEEDS, (SHAPE.removed[opcode] as number) * 32, true)
  }
  return new ForkCosts(table)
}

export interface Outcome {
  readonly status: number
  readonly output: bigint
  readonly gas: bigint
  readonly pc: number
  readonly halt: number
}

/** Runs without the core, except RETURN. */
export function runCompiled(code: Uint8Array, input: Uint8Array, gas: bigint): Outcome {
  const compiled = compile(code, flatCosts())
  if (compiled.kind === 'refused') throw new Error(`refused: ${compiled.reason}`)
  const memory = new WebAssembly.Memory({ initial: PAGES })
  const bytes = new Uint8Array(memory.buffer)
  const view = new DataView(memory.buffer)
  const word = (at: number) => [3, 2, 1, 0].reduce((value, i) => (value << 64n) | view.getBigUint64(at + 8 * i, true), 0n)
  let output = 0n
  const step = (frame: number) => {
    const sp = view.getUint32(frame + layout.FRAME_SP, true)
    const at = MEMORY_AT + Number(word(sp - 32))
    output = bytes.slice(at, at + 32).reduce((value, byte) => (value << 8n) | BigInt(byte), 0n)
    return layout.STATUS_RETURN
  }
  const divide = (operate: (a: bigint, b: bigint) => bigint) => (sp: number) => {
    const result = word(sp - 64) === 0n ? 0n : operate(word(sp - 32), word(sp - 64))
    for (let i = 0; i < 4; i++) view.setBigUint64(sp - 64 + 8 * i, (result & MASK) >> BigInt(64 * i), true)
  }
  const expandMemory = (frame: number, end: bigint, left: bigint) => {
    view.setUint32(frame + layout.FRAME_MEMORY_BYTES, Number(end + 31n) & ~31, true)
    return left
  }
  const absent = () => {
    throw new Error('this function of the core has no part in the test')
  }
  const imports = { ...Object.fromEntries(CORE_FUNCTION_NAMES.map((name) => [name, absent])), step, expandMemory }
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(compiled.bytes), {
    [CORE_MODULE]: {
      ...imports,
      opDiv: divide((a, b) => a / b),
      opMod: divide((a, b) => a % b),
      [MEMORY_IMPORT]: memory,
      [JUMP_TABLE_IMPORT]: SCRATCH_TABLE_AT,
    },
  })
  bytes.set(input, INPUT_AT)
  const fields: readonly [number, number][] = [
    [layout.FRAME_SP, STACK_AT],
    [layout.FRAME_STACK, STACK_AT],
    [layout.FRAME_MEMORY, MEMORY_AT],
    [layout.FRAME_INPUT, INPUT_AT],
    [layout.FRAME_INPUT_LENGTH, input.length],
  ]
  for (const [field, value] of fields) view.setUint32(FRAME_AT + field, value, true)
  view.setBigInt64(FRAME_AT + layout.FRAME_GAS, gas, true)
  const status = (exports[RUN_EXPORT] as (frame: number) => number)(FRAME_AT)
  return {
    status,
    output,
    gas: view.getBigInt64(FRAME_AT + layout.FRAME_GAS, true),
    pc: view.getUint32(FRAME_AT + layout.FRAME_PC, true),
    halt: view.getUint32(FRAME_AT + layout.FRAME_HALT, true),
  }
}

export function returningTop(code: readonly number[]): Uint8Array {
  return Uint8Array.from([...code, op.PUSH0, op.MSTORE, op.PUSH0 + 1, 32, op.PUSH0, op.RETURN])
}

export function push(value: bigint): number[] {
  const bytes: number[] = []
  for (let rest = value; rest > 0n; rest >>= 8n) bytes.unshift(Number(rest & 0xffn))
  return [op.PUSH0 + bytes.length, ...bytes]
}
