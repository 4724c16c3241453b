import { math, mathInputAt, mathMemory } from '../wasm/math-instance.ts'

/** Big-endian, padded with zeros. */
interface Operand {
  readonly present: Uint8Array
  readonly length: number
}

/** EIP-7823. */
const MAX_OPERAND_BYTES = 1024
/** More than a block's gas pays for. */
const MAX_EXPONENT_BYTES = 2 ** 26

const OUT = mathInputAt
const BASE = OUT + MAX_OPERAND_BYTES
const MODULUS = BASE + MAX_OPERAND_BYTES
const EXPONENT = MODULUS + MAX_OPERAND_BYTES

export function fitsWasm(baseBytes: number, exponentBytes: number, modulusBytes: number): boolean {
  return baseBytes <= MAX_OPERAND_BYTES && modulusBytes <= MAX_OPERAND_BYTES && exponentBytes <= MAX_EXPONENT_BYTES
}

export function powerInWasm(base: Operand, exponent: Operand, modulus: Operand): Uint8Array {
  const memory = mathMemory(EXPONENT + exponent.length)
  place(memory, BASE, base)
  place(memory, MODULUS, modulus)
  place(memory, EXPONENT, exponent)
  math.modularPower(BASE, base.length, EXPONENT, exponent.length, MODULUS, modulus.length, OUT)
  return memory.slice(OUT, OUT + modulus.length)
}

function place(memory: Uint8Array, at: number, { present, length }: Operand): void {
  memory.set(present, at)
  memory.fill(0, at + present.length, at + length)
}
