/** Uses the precompiles' encoding: big-endian coordinates in slots, zeros for the point at infinity. */
import { bigintToBytes } from '@keelson/primitives'
import { AssemblyError } from '../errors.ts'

/** Points are passed as addresses in `wasmMemory`. */
export interface MclModule {
  readonly wasmMemory: { readonly buffer: ArrayBuffer }
  _malloc(bytes: number): number
  _mclBn_init(curve: number, compiledFor: number): number
  _mclBn_verifyOrderG1(verify: number): void
  _mclBn_verifyOrderG2(verify: number): void
  _mclBn_setMapToMode(mode: number): number
  _mclBn_millerLoopVec(z: number, g1: number, g2: number, count: number): void
  _mclBn_finalExp(z: number, x: number): void
  _mclBnGT_mul(z: number, x: number, y: number): void
  _mclBnGT_setInt32(x: number, value: number): void
  _mclBnGT_isOne(x: number): number
  _mclBnFr_setBigEndianMod(x: number, bytes: number, length: number): number
  _mclBnFp_setBigEndianMod(x: number, bytes: number, length: number): number
  _mclBnFp_setInt32(x: number, value: number): void
  _mclBnFp_clear(x: number): void
  _mclBnFp_getLittleEndian(bytes: number, length: number, x: number): number
  _mclBnFp_mapToG1(point: number, x: number): number
  _mclBnFp2_mapToG2(point: number, x: number): number
  _mclBnG1_clear(x: number): void
  _mclBnG1_isZero(x: number): number
  _mclBnG1_isValid(x: number): number
  _mclBnG1_isValidOrder(x: number): number
  _mclBnG1_normalize(z: number, x: number): void
  _mclBnG1_add(z: number, x: number, y: number): void
  _mclBnG1_mul(z: number, x: number, scalar: number): void
  _mclBnG1_mulVec(z: number, points: number, scalars: number, count: number): void
  _mclBnG2_clear(x: number): void
  _mclBnG2_isZero(x: number): number
  _mclBnG2_isValid(x: number): number
  _mclBnG2_isValidOrder(x: number): number
  _mclBnG2_normalize(z: number, x: number): void
  _mclBnG2_add(z: number, x: number, y: number): void
  _mclBnG2_mulVec(z: number, points: number, scalars: number, count: number): void
}

export interface CurveShape {
  readonly id: number
  readonly modulus: bigint
  readonly fieldBytes: number
  /** Bytes per coordinate, including leading zeros. */
  readonly slotBytes: number
  /** Whether the imaginary part of an extension field element comes first. */
  readonly imaginaryFirst: boolean
  /** Whether G1 points outside the subgroup are valid. */
  readonly cofactorG1: boolean
}

/** Means six words per field element and four per scalar. */
const COMPILED_FOR = 46
const RFC_9380 = 5
const FP_BYTES = 48
const SCALAR_BYTES = 32
const G1_BYTES = 3 * FP_BYTES
const G2_BYTES = 6 * FP_BYTES
const GT_BYTES = 12 * FP_BYTES
const BATCH = 128

export type CurveGroup = 'g1' | 'g2'

export class MclCurve {
  readonly #mcl: MclModule
  readonly #shape: CurveShape
  readonly #modulus: Uint8Array
  readonly #pointBytes: Readonly<Record<CurveGroup, number>>
  #memory: Uint8Array
  readonly #at: {
    readonly buffer: number
    readonly g1: number
    readonly g2: number
    readonly scalars: number
    readonly sum: number
    readonly product: number
    readonly factor: number
  }

  /** Throws AssemblyError `node/native-module`. */
  constructor(mcl: MclModule, shape: CurveShape) {
    const failed = mcl._mclBn_init(shape.id, COMPILED_FOR)
    if (failed !== 0) throw new AssemblyError('node/native-module', `mcl-wasm did not take curve ${shape.id}: error ${failed}`, {})
    // Disables mcl's own checks: where points outside the subgroup are invalid, the check below rejects them.
    mcl._mclBn_verifyOrderG1(0)
    mcl._mclBn_verifyOrderG2(0)
    mcl._mclBn_setMapToMode(RFC_9380)
    this.#mcl = mcl
    this.#shape = shape
    this.#modulus = bigintToBytes(shape.modulus, shape.fieldBytes)
    this.#pointBytes = { g1: 2 * shape.slotBytes, g2: 4 * shape.slotBytes }
    this.#at = {
      buffer: mcl._malloc(64),
      g1: mcl._malloc(BATCH * G1_BYTES),
      g2: mcl._malloc(BATCH * G2_BYTES),
      scalars: mcl._malloc(BATCH * SCALAR_BYTES),
      sum: mcl._malloc(2 * G2_BYTES),
      product: mcl._malloc(GT_BYTES),
      factor: mcl._malloc(GT_BYTES),
    }
    this.#memory = new Uint8Array(mcl.wasmMemory.buffer)
  }

  add(group: CurveGroup, input: Uint8Array): Uint8Array | null {
    const { sum } = this.#at
    const [first, second] = [this.#slot(group, 0), this.#slot(group, 1)]
    if (!this.#read(group, input, 0, first) || !this.#read(group, input, this.#pointBytes[group], second)) return null
    if (group === 'g1') this.#mcl._mclBnG1_add(sum, first, second)
    else this.#mcl._mclBnG2_add(sum, first, second)
    return this.#write(group, sum)
  }

  multiply(input: Uint8Array): Uint8Array | null {
    const { g1, scalars, sum } = this.#at
    if (!this.#read('g1', input, 0, g1)) return null
    this.#readScalar(input, this.#pointBytes.g1, scalars)
    this.#mcl._mclBnG1_mul(sum, g1, scalars)
    return this.#write('g1', sum)
  }

  /** Requires points in the subgroup. */
  sumOfProducts(group: CurveGroup, input: Uint8Array): Uint8Array | null {
    const mcl = this.#mcl
    const { scalars, sum } = this.#at
    const part = sum + G2_BYTES
    const itemBytes = this.#pointBytes[group] + SCALAR_BYTES
    if (group === 'g1') mcl._mclBnG1_clear(sum)
    else mcl._mclBnG2_clear(sum)
    for (let at = 0; at < input.length; ) {
      let count = 0
      for (; count < BATCH && at < input.length; count++, at += itemBytes) {
        if (!this.#read(group, input, at, this.#slot(group, count)) || !this.#isInSubgroup(group, this.#slot(group, count))) return null
        this.#readScalar(input, at + this.#pointBytes[group], scalars + count * SCALAR_BYTES)
      }
      if (group === 'g1') {
        mcl._mclBnG1_mulVec(part, this.#slot(group, 0), scalars, count)
        mcl._mclBnG1_add(sum, sum, part)
      } else {
        mcl._mclBnG2_mulVec(part, this.#slot(group, 0), scalars, count)
        mcl._mclBnG2_add(sum, sum, part)
      }
    }
    return this.#write(group, sum)
  }

  /** Returns whether the product of the pairings is one. */
  pairing(input: Uint8Array): boolean | null {
    const mcl = this.#mcl
    const { product, factor } = this.#at
    const pairBytes = this.#pointBytes.g1 + this.#pointBytes.g2
    mcl._mclBnGT_setInt32(product, 1)
    for (let at = 0; at < input.length; ) {
      let count = 0
      for (; count < BATCH && at < input.length; at += pairBytes) {
        const [g1, g2] = [this.#slot('g1', count), this.#slot('g2', count)]
        if (!this.#read('g1', input, at, g1) || !this.#isInSubgroup('g1', g1)) return null
        if (!this.#read('g2', input, at + this.#pointBytes.g1, g2) || !this.#isInSubgroup('g2', g2)) return null
        if (mcl._mclBnG1_isZero(g1) === 0 && mcl._mclBnG2_isZero(g2) === 0) count++
      }
      if (count === 0) continue
      mcl._mclBn_millerLoopVec(factor, this.#slot('g1', 0), this.#slot('g2', 0), count)
      mcl._mclBnGT_mul(product, product, factor)
    }
    mcl._mclBn_finalExp(product, product)
    return mcl._mclBnGT_isOne(product) === 1
  }

  mapTo(group: CurveGroup, input: Uint8Array): Uint8Array | null {
    const { g2: element, sum } = this.#at
    const read = group === 'g1' ? this.#readField(input, 0, element) : this.#readExtension(input, 0, element)
    if (!read) return null
    const failed = group === 'g1' ? this.#mcl._mclBnFp_mapToG1(sum, element) : this.#mcl._mclBnFp2_mapToG2(sum, element)
    return failed === 0 ? this.#write(group, sum) : null
  }

  #slot(group: CurveGroup, index: number): number {
    return group === 'g1' ? this.#at.g1 + index * G1_BYTES : this.#at.g2 + index * G2_BYTES
  }

  #bytes(): Uint8Array {
    const { buffer } = this.#mcl.wasmMemory
    if (this.#memory.buffer !== buffer) this.#memory = new Uint8Array(buffer)
    return this.#memory
  }

  #isInSubgroup(group: CurveGroup, at: number): boolean {
    if (group === 'g1') return !this.#shape.cofactorG1 || this.#mcl._mclBnG1_isValidOrder(at) === 1
    return this.#mcl._mclBnG2_isValidOrder(at) === 1
  }

  /** Returns false for a point off the curve. */
  #read(group: CurveGroup, input: Uint8Array, from: number, to: number): boolean {
    const mcl = this.#mcl
    if (isZero(input, from, this.#pointBytes[group])) {
      if (group === 'g1') mcl._mclBnG1_clear(to)
      else mcl._mclBnG2_clear(to)
      return true
    }
    if (group === 'g1') {
      if (!this.#readField(input, from, to) || !this.#readField(input, from + this.#shape.slotBytes, to + FP_BYTES)) return false
      mcl._mclBnFp_setInt32(to + 2 * FP_BYTES, 1)
      return mcl._mclBnG1_isValid(to) === 1
    }
    if (!this.#readExtension(input, from, to)) return false
    if (!this.#readExtension(input, from + 2 * this.#shape.slotBytes, to + 2 * FP_BYTES)) return false
    mcl._mclBnFp_setInt32(to + 4 * FP_BYTES, 1)
    mcl._mclBnFp_clear(to + 5 * FP_BYTES)
    return mcl._mclBnG2_isValid(to) === 1
  }

  #readExtension(input: Uint8Array, from: number, to: number): boolean {
    const { imaginaryFirst, slotBytes } = this.#shape
    const [real, imaginary] = imaginaryFirst ? [from + slotBytes, from] : [from, from + slotBytes]
    return this.#readField(input, real, to) && this.#readField(input, imaginary, to + FP_BYTES)
  }

  #readField(input: Uint8Array, from: number, to: number): boolean {
    const { fieldBytes, slotBytes } = this.#shape
    const start = from + slotBytes - fieldBytes
    if (!isZero(input, from, slotBytes - fieldBytes) || !isBelow(input, start, this.#modulus)) return false
    this.#bytes().set(input.subarray(start, start + fieldBytes), this.#at.buffer)
    return this.#mcl._mclBnFp_setBigEndianMod(to, this.#at.buffer, fieldBytes) === 0
  }

  #readScalar(input: Uint8Array, from: number, to: number): void {
    this.#bytes().set(input.subarray(from, from + SCALAR_BYTES), this.#at.buffer)
    this.#mcl._mclBnFr_setBigEndianMod(to, this.#at.buffer, SCALAR_BYTES)
  }

  #write(group: CurveGroup, at: number): Uint8Array {
    const { imaginaryFirst, slotBytes } = this.#shape
    const output = new Uint8Array(this.#pointBytes[group])
    if (group === 'g1') {
      if (this.#mcl._mclBnG1_isZero(at) === 1) return output
      this.#mcl._mclBnG1_normalize(at, at)
      for (const i of [0, 1]) this.#writeField(at + i * FP_BYTES, output, i * slotBytes)
      return output
    }
    if (this.#mcl._mclBnG2_isZero(at) === 1) return output
    this.#mcl._mclBnG2_normalize(at, at)
    for (const i of [0, 1, 2, 3]) this.#writeField(at + i * FP_BYTES, output, (imaginaryFirst ? i ^ 1 : i) * slotBytes)
    return output
  }

  #writeField(at: number, output: Uint8Array, to: number): void {
    const { buffer } = this.#at
    const length = this.#mcl._mclBnFp_getLittleEndian(buffer, 64, at)
    const bytes = this.#bytes()
    for (let i = 0; i < length; i++) output[to + this.#shape.slotBytes - 1 - i] = bytes[buffer + i] as number
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
