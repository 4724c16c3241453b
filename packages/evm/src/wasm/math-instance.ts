/** One instance serves a whole thread: calls never overlap. */
import { PAGE } from './layout.ts'
import { MATH_INPUT_AT, MATH_PAGES, MATH_WASM_BASE64 } from './math-wasm.generated.ts'

/** Takes addresses. */
export interface MathExports {
  keccak256(message: number, length: number, out: number): void
  keccak256Word(message: number, length: number, out: number): void
  blake2f(input: number, out: number): void
  sha256(message: number, length: number, out: number): void
  multiply(a: number, b: number, out: number): void
  unsignedDivide(a: number, b: number, out: number): void
  unsignedModulo(a: number, b: number, out: number): void
  signedDivide(a: number, b: number, out: number): void
  signedModulo(a: number, b: number, out: number): void
  addModulo(a: number, b: number, m: number, out: number): void
  multiplyModulo(a: number, b: number, m: number, out: number): void
  /** Big-endian; base and modulus have at most 1024 bytes, `out` as many as the modulus. */
  modularPower(
    base: number,
    baseLength: number,
    exponent: number,
    exponentLength: number,
    modulus: number,
    modulusLength: number,
    out: number,
  ): void
  power(base: number, exponent: number, out: number): void
  shiftLeft(shift: number, value: number, out: number): void
  shiftRight(shift: number, value: number, out: number): void
  shiftRightSigned(shift: number, value: number, out: number): void
  byteAt(index: number, value: number, out: number): void
  signExtend(index: number, value: number, out: number): void
  countLeadingZeros(value: number, out: number): void
  lessThan(a: number, b: number): number
  signedLessThan(a: number, b: number): number
  equal(a: number, b: number): number
  isZero(a: number): number
}

interface Memory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown }
  readonly Memory: new (limits: { readonly initial: number }) => Memory
}

const module = new WebAssembly.Module(Uint8Array.from(atob(MATH_WASM_BASE64), (char) => char.charCodeAt(0)))
const memory = new WebAssembly.Memory({ initial: MATH_PAGES })

let view = new Uint8Array(memory.buffer)

export const math = new WebAssembly.Instance(module, { env: { memory } }).exports as MathExports
export const mathInputAt = MATH_INPUT_AT

/** A later growth detaches it. */
export function mathMemory(end: number): Uint8Array {
  if (end > view.length) {
    memory.grow(Math.ceil((end - view.length) / PAGE))
    view = new Uint8Array(memory.buffer)
  }
  return view
}
