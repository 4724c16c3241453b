/**
 * One chain of doublings for all products (Straus). An endomorphism that multiplies by `radix` shortens it (Gallant, Lambert and
 * Vanstone).
 */
import { bigintToBytes } from '@keelson/primitives'
import type { CurveGroup } from './curve.ts'
import type { CurveMemory } from './curve-memory.ts'
import type { Endomorphism } from './endomorphism.ts'
import { DIGIT_WIDTH, writeSignedDigits } from './signed-digits.ts'

export interface ScalarSplit {
  readonly map: Endomorphism
  readonly radix: bigint
  readonly parts: number
}

/** Odd multiples from 1 to 15. */
const TABLE_POINTS = 2 ** (DIGIT_WIDTH - 2)

interface Term {
  readonly table: number
  readonly digits: Int8Array
}

export class SumOfProducts {
  readonly #group: CurveGroup
  readonly #memory: CurveMemory
  readonly #split: ScalarSplit
  readonly #partBytes: number
  readonly #tables: number
  readonly #twice: number
  readonly #digits: readonly Int8Array[]
  readonly #terms: Term[] = []
  #highest = 0
  #count = 0

  constructor(group: CurveGroup, memory: CurveMemory, split: ScalarSplit, capacity: number) {
    this.#group = group
    this.#memory = memory
    this.#split = split
    this.#partBytes = Math.ceil((split.radix - 1n).toString(16).length / 2)
    this.#tables = memory.allocate(capacity * split.parts * TABLE_POINTS * group.pointBytes)
    this.#twice = memory.allocate(group.pointBytes)
    this.#digits = Array.from({ length: capacity * split.parts }, () => new Int8Array(8 * this.#partBytes + 1))
  }

  /** At most `capacity` products per sum. The scalar is below `radix ** parts`. */
  append(point: number, scalar: bigint): void {
    const { map, parts, radix } = this.#split
    const { pointBytes } = this.#group
    const first = this.#tables + this.#count * TABLE_POINTS * parts * pointBytes
    this.#fillTable(first, point)
    for (let part = 0, rest = scalar; part < parts; part++, rest /= radix) {
      const table = first + part * TABLE_POINTS * pointBytes
      if (part > 0) for (let i = 0; i < TABLE_POINTS; i++) map(table + i * pointBytes, table + (i - TABLE_POINTS) * pointBytes)
      const digits = this.#digits[this.#count * parts + part] as Int8Array
      this.#highest = Math.max(this.#highest, writeSignedDigits(bigintToBytes(rest % radix, this.#partBytes), digits))
      this.#terms.push({ table, digits })
    }
    this.#count++
  }

  finish(sum: number): void {
    const { pointBytes } = this.#group
    const { add, double, subtract } = this.#group.operations
    this.#memory.clear(sum, pointBytes)
    for (let i = this.#highest - 1; i >= 0; i--) {
      if (i < this.#highest - 1) double(sum, sum)
      for (const { table, digits } of this.#terms) {
        const digit = digits[i] as number
        if (digit > 0) add(sum, sum, table + (digit >> 1) * pointBytes)
        else if (digit < 0) subtract(sum, sum, table + (-digit >> 1) * pointBytes)
      }
    }
    this.#terms.length = 0
    this.#highest = 0
    this.#count = 0
  }

  #fillTable(table: number, point: number): void {
    const { pointBytes } = this.#group
    const { add, double } = this.#group.operations
    this.#memory.copy(table, point, pointBytes)
    double(this.#twice, point)
    for (let i = 1; i < TABLE_POINTS; i++) add(table + i * pointBytes, table + (i - 1) * pointBytes, this.#twice)
  }
}
