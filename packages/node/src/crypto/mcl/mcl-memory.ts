import { bigintToBytes } from '@keelson/primitives'
import { FP_BYTES, type MclModule } from './mcl-module.ts'

const BUFFER_BYTES = 64

/** Moves bytes into and out of mcl's memory, which may grow and then gets a new buffer. */
export class MclMemory {
  readonly #mcl: MclModule
  readonly #buffer: number
  #bytes: Uint8Array

  constructor(mcl: MclModule) {
    this.#mcl = mcl
    this.#buffer = mcl._malloc(BUFFER_BYTES)
    this.#bytes = new Uint8Array(mcl.wasmMemory.buffer)
  }

  allocate(bytes: number): number {
    return this.#mcl._malloc(bytes)
  }

  bytes(): Uint8Array {
    const { buffer } = this.#mcl.wasmMemory
    if (this.#bytes.buffer !== buffer) this.#bytes = new Uint8Array(buffer)
    return this.#bytes
  }

  copy(to: number, from: number, length: number): void {
    this.bytes().copyWithin(to, from, from + length)
  }

  /** Big-endian bytes below the modulus. */
  readField(to: number, input: Uint8Array): void {
    this.bytes().set(input, this.#buffer)
    this.#mcl._mclBnFp_setBigEndianMod(to, this.#buffer, input.length)
  }

  readScalar(to: number, input: Uint8Array): void {
    this.bytes().set(input, this.#buffer)
    this.#mcl._mclBnFr_setBigEndianMod(to, this.#buffer, input.length)
  }

  /** Writes big-endian so that the last byte precedes `end`. */
  writeField(from: number, output: Uint8Array, end: number): void {
    const length = this.#mcl._mclBnFp_getLittleEndian(this.#buffer, BUFFER_BYTES, from)
    const bytes = this.bytes()
    for (let i = 0; i < length; i++) output[end - 1 - i] = bytes[this.#buffer + i] as number
  }

  constant(...values: readonly bigint[]): number {
    const at = this.allocate(values.length * FP_BYTES)
    for (const [i, value] of values.entries()) this.readField(at + i * FP_BYTES, bigintToBytes(value, FP_BYTES))
    return at
  }
}
