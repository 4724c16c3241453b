import type { CurveArithmetic, GroupOperations } from './arithmetic.ts'
import { CurveMemory } from './curve-memory.ts'
import type { CurveShape } from './curve-shape.ts'
import { PointCodec } from './point-codec.ts'

export class Curve {
  readonly arithmetic: CurveArithmetic
  readonly shape: CurveShape
  readonly memory: CurveMemory
  readonly groups: readonly [CurveGroup, CurveGroup]

  constructor(arithmetic: CurveArithmetic, shape: CurveShape) {
    this.arithmetic = arithmetic
    this.shape = shape
    this.memory = new CurveMemory(arithmetic, shape.fieldBytes)
    const [first, second] = arithmetic.groups
    this.groups = [new CurveGroup(this.memory, shape, first), new CurveGroup(this.memory, shape, second)]
  }
}

export class CurveGroup {
  readonly operations: GroupOperations
  readonly codec: PointCodec
  readonly pointBytes: number
  readonly #a: number
  readonly #b: number

  constructor(memory: CurveMemory, shape: CurveShape, operations: GroupOperations) {
    this.operations = operations
    this.codec = new PointCodec(memory, shape, operations)
    this.pointBytes = 3 * operations.degree * memory.elementBytes
    this.#a = memory.allocate(this.pointBytes)
    this.#b = memory.allocate(this.pointBytes)
  }

  add(input: Uint8Array): Uint8Array | null {
    if (!this.codec.read(input, 0, this.#a) || !this.codec.read(input, this.codec.bytes, this.#b)) return null
    this.operations.add(this.#a, this.#a, this.#b)
    return this.codec.write(this.#a)
  }
}
