import { bigintToBytes } from '@keelson/primitives'
import type { CurveArithmetic } from './arithmetic.ts'

/** The memory may grow and then has a new buffer. */
export class CurveMemory {
  readonly elementBytes: number
  readonly #arithmetic: CurveArithmetic
  readonly #fieldBytes: number
  readonly #buffer: number
  #bytes: Uint8Array

  constructor(arithmetic: CurveArithmetic, fieldBytes: number) {
    this.elementBytes = arithmetic.elementBytes
    this.#arithmetic = arithmetic
    this.#fieldBytes = fieldBytes
    this.#buffer = arithmetic.allocate(fieldBytes)
    this.#bytes = new Uint8Array(arithmetic.memory.buffer)
  }

  allocate(bytes: number): number {
    return this.#arithmetic.allocate(bytes)
  }

  bytes(): Uint8Array {
    const { buffer } = this.#arithmetic.memory
    if (this.#bytes.buffer !== buffer) this.#bytes = new Uint8Array(buffer)
    return this.#bytes
  }

  copy(to: number, from: number, length: number): void {
    this.bytes().copyWithin(to, from, from + length)
  }

  clear(at: number, length: number): void {
    this.bytes().fill(0, at, at + length)
  }

  readField(to: number, input: Uint8Array): void {
    this.bytes().set(input, this.#buffer)
    this.#arithmetic.readElement(to, this.#buffer)
  }

  writeField(from: number, output: Uint8Array, at: number): void {
    this.#arithmetic.writeElement(this.#buffer, from)
    output.set(this.bytes().subarray(this.#buffer, this.#buffer + this.#fieldBytes), at)
  }

  constant(...values: readonly bigint[]): number {
    const at = this.allocate(values.length * this.elementBytes)
    for (const [i, value] of values.entries()) this.readField(at + i * this.elementBytes, bigintToBytes(value, this.#fieldBytes))
    return at
  }
}
