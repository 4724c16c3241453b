import { bytesToBigint } from '@keelson/primitives'
import type { Curve, CurveGroup } from './curve.ts'
import type { CurveMemory } from './curve-memory.ts'
import type { SubgroupCheck } from './subgroup.ts'
import { type ScalarSplit, SumOfProducts } from './sum-of-products.ts'

const SCALAR_BYTES = 32
/** More products per chain of doublings save little and need more memory. */
const BATCH = 64

/** EIP-2537 */
export class MultiScalar {
  readonly #group: CurveGroup
  readonly #memory: CurveMemory
  readonly #order: bigint
  readonly #isInSubgroup: SubgroupCheck
  readonly #products: SumOfProducts
  readonly #point: number
  readonly #part: number
  readonly #sum: number

  constructor({ memory, shape }: Curve, group: CurveGroup, isInSubgroup: SubgroupCheck, split: ScalarSplit) {
    this.#group = group
    this.#memory = memory
    this.#order = shape.order
    this.#isInSubgroup = isInSubgroup
    this.#products = new SumOfProducts(group, memory, split, BATCH)
    this.#point = memory.allocate(group.pointBytes)
    this.#part = memory.allocate(group.pointBytes)
    this.#sum = memory.allocate(group.pointBytes)
  }

  sum(input: Uint8Array): Uint8Array | null {
    const { codec, operations } = this.#group
    this.#memory.clear(this.#sum, this.#group.pointBytes)
    // All points are checked before the first sum.
    for (let at = 0; at < input.length; at += codec.bytes + SCALAR_BYTES)
      if (!codec.read(input, at, this.#point) || !this.#isInSubgroup(this.#point)) return null
    for (let at = 0; at < input.length; ) {
      for (let count = 0; count < BATCH && at < input.length; count++, at += codec.bytes + SCALAR_BYTES) {
        codec.read(input, at, this.#point)
        const scalar = bytesToBigint(input.subarray(at + codec.bytes, at + codec.bytes + SCALAR_BYTES))
        this.#products.append(this.#point, scalar % this.#order)
      }
      this.#products.finish(this.#part)
      operations.add(this.#sum, this.#sum, this.#part)
    }
    return codec.write(this.#sum)
  }
}
