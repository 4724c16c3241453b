import { SHAPE } from '../compiler/analysis/opcode-shape.ts'
import * as op from '../compiler/analysis/opcodes.ts'

export const CALLEE: Uint8Array = new Uint8Array(20).fill(0xbb)

const PLAIN = [
  ...[op.ADD, op.MUL, op.SUB, op.DIV, op.SDIV, op.MOD, op.SMOD, op.ADDMOD, op.MULMOD, op.EXP, op.SIGNEXTEND],
  ...[op.LT, op.GT, op.SLT, op.SGT, op.EQ, op.ISZERO, op.AND, op.OR, op.XOR, op.NOT, op.BYTE, op.SHL, op.SHR, op.SAR, op.CLZ],
  ...[op.ADDRESS, op.BALANCE, op.ORIGIN, op.CALLER, op.CALLVALUE, op.CALLDATASIZE, op.CODESIZE, op.GASPRICE, op.RETURNDATASIZE],
  ...[op.EXTCODESIZE, op.EXTCODEHASH, op.COINBASE, op.TIMESTAMP, op.NUMBER, op.PREVRANDAO, op.GASLIMIT, op.CHAINID, op.BASEFEE],
  ...[op.BLOBBASEFEE, op.POP, op.SLOAD, op.PC, op.MSIZE, op.GAS, op.TLOAD],
  ...[0x40, 0x47, 0x49],
]
const COPIES = [op.CALLDATACOPY, op.CODECOPY, op.MCOPY, op.CALLDATACOPY, op.CODECOPY, op.MCOPY, op.RETURNDATACOPY]
const STORES = [op.SSTORE, op.TSTORE]
const CALLS = [op.CALL, op.CALLCODE, op.DELEGATECALL, op.STATICCALL]
const ENDS = [op.RETURN, op.RETURN, op.RETURN, op.REVERT, op.STOP, op.SELFDESTRUCT, op.INVALID]

/** Mulberry32. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  below(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound)
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T
  }
}

export function randomProgram(random: Random, isKnown: (opcode: number) => boolean): Uint8Array {
  const writer = new ProgramWriter(random, isKnown)
  const length = 5 + random.below(100)
  for (let i = 0; i < length; i++) writer.writeSomething()
  writer.end()
  return Uint8Array.from(writer.code)
}

class ProgramWriter {
  readonly code: number[] = []
  readonly #random: Random
  readonly #isKnown: (opcode: number) => boolean
  #height = 0

  constructor(random: Random, isKnown: (opcode: number) => boolean) {
    this.#random = random
    this.#isKnown = isKnown
  }

  writeSomething(): void {
    const choice = this.#random.below(24)
    if (choice < 11) this.#plain()
    else if (choice < 14) this.#value()
    else if (choice < 16) this.#operate(op.DUP1 + this.#random.below(16))
    else if (choice < 18) this.#operate(op.SWAP1 + this.#random.below(16))
    else if (choice === 18) this.#memory()
    else if (choice === 19) this.#operate(this.#known(STORES), [this.#small(4)])
    else if (choice === 20) this.#branch()
    else if (choice === 21) this.#call()
    else if (choice === 22) this.#operate(this.#known(COPIES), [this.#small(90), this.#small(90), this.#small(90)])
    else this.#operate(op.LOG0 + this.#random.below(5), [this.#small(90), this.#small(90)])
  }

  end(): void {
    this.#operate(op.MSTORE, [[op.PUSH0 + 1, 0]])
    this.#operate(this.#known(ENDS), [[op.PUSH0 + 1, 0], this.#small(96)])
  }

  #plain(): void {
    this.#operate(this.#known(PLAIN))
    if (this.#random.below(4) === 0) this.#operate(op.KECCAK256, [this.#small(90), this.#small(90)])
  }

  #known(opcodes: readonly number[]): number {
    return this.#random.pick(opcodes.filter(this.#isKnown))
  }

  /** The first operand is on top. */
  #operate(opcode: number, operands: readonly (readonly number[])[] = []): void {
    const removed = SHAPE.removed[opcode] as number
    while (this.#height < removed - operands.length) this.#value()
    for (const operand of [...operands].reverse()) this.code.push(...operand)
    this.code.push(opcode)
    this.#height += operands.length + (SHAPE.added[opcode] as number) - removed
  }

  #value(): void {
    const kind = this.#random.below(6)
    if (kind < 2) this.code.push(...this.#small(300))
    else if (kind === 2) this.code.push(...this.#small(100), op.CALLDATALOAD)
    else if (kind === 3) this.code.push(...this.#small(64), op.MLOAD)
    else if (kind === 4) this.code.push(op.GAS)
    else this.#large()
    this.#height++
  }

  #large(): void {
    const bytes = 1 + this.#random.below(32)
    this.code.push(op.PUSH0 + bytes)
    for (let i = 0; i < bytes; i++) this.code.push(this.#random.pick([0, 0xff, this.#random.below(256)]))
  }

  #small(bound: number): number[] {
    const value = this.#random.below(bound)
    return [op.PUSH0 + 2, value >> 8, value & 0xff]
  }

  #memory(): void {
    const opcode = this.#random.pick([op.MLOAD, op.MSTORE, op.MSTORE8])
    this.#operate(opcode, this.#random.below(20) === 0 ? [] : [this.#small(200)])
  }

  #branch(): void {
    if (this.#random.below(8) === 0) {
      this.#operate(this.#random.pick([op.JUMP, op.JUMPI]), [this.#small(this.code.length + 40)])
      return
    }
    const target = this.code.length + 4 + this.#random.below(2)
    this.#operate(op.JUMPI, [[op.PUSH0 + 2, target >> 8, target & 0xff]])
    this.code.push(op.JUMPDEST, op.JUMPDEST)
  }

  #call(): void {
    const opcode = this.#known(CALLS)
    const sends = opcode === op.CALL || opcode === op.CALLCODE
    const address = this.#random.below(2) === 0 ? [op.ADDRESS] : [op.PUSH0 + 20, ...CALLEE]
    const gas = this.#random.below(3) === 0 ? this.#small(60_000) : [op.GAS]
    const ranges = [this.#small(60), this.#small(40), this.#small(60), this.#small(40)]
    this.#operate(opcode, [gas, address, ...(sends ? [this.#small(2)] : []), ...ranges])
  }
}
