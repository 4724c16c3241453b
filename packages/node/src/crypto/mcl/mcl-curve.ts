import { AssemblyError } from '../../errors.ts'
import type { CurveShape } from './curve-shape.ts'
import { firstGroup, type MclGroup, secondGroup } from './mcl-group.ts'
import { MclMemory } from './mcl-memory.ts'
import { COMPILED_FOR, type MclModule } from './mcl-module.ts'
import { PointCodec } from './point-codec.ts'

const RFC_9380 = 5

/** One curve in an own instance of mcl: an instance has one curve only. */
export class MclCurve {
  readonly mcl: MclModule
  readonly memory: MclMemory
  readonly shape: CurveShape

  /** Throws AssemblyError `node/native-module`. */
  constructor(mcl: MclModule, shape: CurveShape) {
    const failed = mcl._mclBn_init(shape.id, COMPILED_FOR)
    if (failed !== 0) throw new AssemblyError('node/native-module', `mcl-wasm did not take curve ${shape.id}: error ${failed}`, {})
    // Disables mcl's own checks, which multiply by the order.
    mcl._mclBn_verifyOrderG1(0)
    mcl._mclBn_verifyOrderG2(0)
    mcl._mclBn_setMapToMode(RFC_9380)
    this.mcl = mcl
    this.shape = shape
    this.memory = new MclMemory(mcl)
  }

  first(): CurveGroup {
    return new CurveGroup(this, firstGroup(this.mcl))
  }

  second(): CurveGroup {
    return new CurveGroup(this, secondGroup(this.mcl))
  }
}

/** A group with its encoding and room for results. */
export class CurveGroup {
  readonly operations: MclGroup
  readonly codec: PointCodec
  readonly #a: number
  readonly #b: number

  constructor({ mcl, memory, shape }: MclCurve, operations: MclGroup) {
    this.operations = operations
    this.codec = new PointCodec(mcl, memory, shape, operations)
    this.#a = memory.allocate(operations.pointBytes)
    this.#b = memory.allocate(operations.pointBytes)
  }

  add(input: Uint8Array): Uint8Array | null {
    if (!this.codec.read(input, 0, this.#a) || !this.codec.read(input, this.codec.bytes, this.#b)) return null
    this.operations.add(this.#a, this.#a, this.#b)
    return this.codec.write(this.#a)
  }

  /** Calls `map` with the addresses of a result and of the field element. */
  mapTo(input: Uint8Array, map: (point: number, element: number) => number): Uint8Array | null {
    if (!this.codec.readCoordinate(input, 0, this.#b) || map(this.#a, this.#b) !== 0) return null
    return this.codec.write(this.#a)
  }
}
