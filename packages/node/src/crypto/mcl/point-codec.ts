/** The precompiles' encoding: big-endian coordinates in slots, zeros for the point at infinity. */
import { bigintToBytes } from '@keelson/primitives'
import type { CurveShape } from './curve-shape.ts'
import type { MclGroup } from './mcl-group.ts'
import type { MclMemory } from './mcl-memory.ts'
import { FP_BYTES, type MclModule } from './mcl-module.ts'

export class PointCodec {
  /** Bytes of an encoded point. */
  readonly bytes: number
  readonly #mcl: MclModule
  readonly #memory: MclMemory
  readonly #shape: CurveShape
  readonly #group: MclGroup
  readonly #modulus: Uint8Array

  constructor(mcl: MclModule, memory: MclMemory, shape: CurveShape, group: MclGroup) {
    this.#mcl = mcl
    this.#memory = memory
    this.#shape = shape
    this.#group = group
    this.#modulus = bigintToBytes(shape.modulus, shape.fieldBytes)
    this.bytes = 2 * group.degree * shape.slotBytes
  }

  /** Returns false for a point off the curve. */
  read(input: Uint8Array, from: number, to: number): boolean {
    const { clear, degree, isOnCurve } = this.#group
    if (isZero(input, from, this.bytes)) {
      clear(to)
      return true
    }
    const coordinateBytes = degree * FP_BYTES
    if (!this.readCoordinate(input, from, to)) return false
    if (!this.readCoordinate(input, from + degree * this.#shape.slotBytes, to + coordinateBytes)) return false
    this.#mcl._mclBnFp_setInt32(to + 2 * coordinateBytes, 1)
    if (degree === 2) this.#mcl._mclBnFp_clear(to + 2 * coordinateBytes + FP_BYTES)
    return isOnCurve(to) === 1
  }

  readCoordinate(input: Uint8Array, from: number, to: number): boolean {
    if (this.#group.degree === 1) return this.#readField(input, from, to)
    const { imaginaryFirst, slotBytes } = this.#shape
    const [real, imaginary] = imaginaryFirst ? [from + slotBytes, from] : [from, from + slotBytes]
    return this.#readField(input, real, to) && this.#readField(input, imaginary, to + FP_BYTES)
  }

  /** Normalizes the point. */
  write(at: number): Uint8Array {
    const { degree, isZero: isInfinity, normalize } = this.#group
    const { imaginaryFirst, slotBytes } = this.#shape
    const output = new Uint8Array(this.bytes)
    if (isInfinity(at) === 1) return output
    normalize(at, at)
    const flip = degree === 2 && imaginaryFirst ? 1 : 0
    for (let i = 0; i < 2 * degree; i++) this.#memory.writeField(at + i * FP_BYTES, output, ((i ^ flip) + 1) * slotBytes)
    return output
  }

  #readField(input: Uint8Array, from: number, to: number): boolean {
    const { fieldBytes, slotBytes } = this.#shape
    const start = from + slotBytes - fieldBytes
    if (!isZero(input, from, slotBytes - fieldBytes) || !isBelow(input, start, this.#modulus)) return false
    this.#memory.readField(to, input.subarray(start, start + fieldBytes))
    return true
  }
}

function isZero(bytes: Uint8Array, from: number, length: number): boolean {
  for (let i = from; i < from + length; i++) if (bytes[i] !== 0) return false
  return true
}

function isBelow(bytes: Uint8Array, from: number, limit: Uint8Array): boolean {
  for (let i = 0; i < limit.length; i++) {
    const difference = (bytes[from + i] as number) - (limit[i] as number)
    if (difference !== 0) return difference < 0
  }
  return false
}
