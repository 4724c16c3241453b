/** Big-endian coordinates in slots, zeros for the point at infinity. */
import { bigintToBytes } from '@keelson/primitives'
import type { GroupOperations } from './arithmetic.ts'
import type { CurveMemory } from './curve-memory.ts'
import type { CurveShape } from './curve-shape.ts'

export class PointCodec {
  readonly bytes: number
  readonly #memory: CurveMemory
  readonly #shape: CurveShape
  readonly #group: GroupOperations
  readonly #modulus: Uint8Array
  readonly #one: number

  constructor(memory: CurveMemory, shape: CurveShape, group: GroupOperations) {
    this.#memory = memory
    this.#shape = shape
    this.#group = group
    this.#modulus = bigintToBytes(shape.modulus, shape.fieldBytes)
    this.#one = memory.constant(1n)
    this.bytes = 2 * group.degree * shape.slotBytes
  }

  /** Returns false for a point off the curve. */
  read(input: Uint8Array, from: number, to: number): boolean {
    const { degree, isOnCurve } = this.#group
    const { elementBytes } = this.#memory
    const coordinateBytes = degree * elementBytes
    if (isZero(input, from, this.bytes)) {
      this.#memory.clear(to, 3 * coordinateBytes)
      return true
    }
    if (!this.readCoordinate(input, from, to)) return false
    if (!this.readCoordinate(input, from + degree * this.#shape.slotBytes, to + coordinateBytes)) return false
    this.#memory.clear(to + 2 * coordinateBytes, coordinateBytes)
    this.#memory.copy(to + 2 * coordinateBytes, this.#one, elementBytes)
    return isOnCurve(to) === 1
  }

  readCoordinate(input: Uint8Array, from: number, to: number): boolean {
    if (this.#group.degree === 1) return this.#readField(input, from, to)
    const { imaginaryFirst, slotBytes } = this.#shape
    const [real, imaginary] = imaginaryFirst ? [from + slotBytes, from] : [from, from + slotBytes]
    return this.#readField(input, real, to) && this.#readField(input, imaginary, to + this.#memory.elementBytes)
  }

  write(at: number): Uint8Array {
    const { degree, isZero: isInfinity, normalize } = this.#group
    const { fieldBytes, imaginaryFirst, slotBytes } = this.#shape
    const { elementBytes } = this.#memory
    const output = new Uint8Array(this.bytes)
    if (isInfinity(at) === 1) return output
    normalize(at, at)
    const flip = degree === 2 && imaginaryFirst ? 1 : 0
    for (let i = 0; i < 2 * degree; i++) this.#memory.writeField(at + i * elementBytes, output, ((i ^ flip) + 1) * slotBytes - fieldBytes)
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
