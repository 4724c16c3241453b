import type { FieldMap } from './bls12-arithmetic.ts'
import type { MapShape } from './bls12-maps.ts'
import type { CurveGroup } from './curve.ts'
import type { CurveMemory } from './curve-memory.ts'
import type { Endomorphism } from './endomorphism.ts'
import { seedMultiplier } from './subgroup.ts'

/** Replaces the point by one of the subgroup. */
export type ClearCofactor = (point: number) => void

/** EIP-2537: a field element to a point of the subgroup. */
export class MapToGroup {
  readonly #group: CurveGroup
  readonly #map: FieldMap
  readonly #clear: ClearCofactor
  readonly #constants: number
  readonly #element: number
  readonly #point: number

  constructor(group: CurveGroup, memory: CurveMemory, map: FieldMap, { a, b, z, root, isogeny }: MapShape, clear: ClearCofactor) {
    this.#group = group
    this.#map = map
    this.#clear = clear
    this.#constants = memory.constant(...a, ...b, ...z, ...root, ...isogeny.flat())
    this.#element = memory.allocate(group.pointBytes)
    this.#point = memory.allocate(group.pointBytes)
  }

  map(input: Uint8Array): Uint8Array | null {
    if (!this.#group.codec.readCoordinate(input, 0, this.#element)) return null
    this.#map(this.#point, this.#element, this.#constants)
    this.#clear(this.#point)
    return this.#group.codec.write(this.#point)
  }
}

/** Multiplies by 1 + seed; RFC 9380, section 8.8.1. */
export function clearCofactorG1(group: CurveGroup, memory: CurveMemory, seed: bigint): ClearCofactor {
  const { operations, pointBytes } = group
  const product = memory.allocate(pointBytes)
  const multiply = seedMultiplier(group, memory, seed)
  return (point) => {
    multiply(product, point)
    operations.add(point, product, point)
  }
}

/** RFC 9380, appendix G.3, for a negative parameter and the negative of its map psi. */
export function clearCofactorG2(group: CurveGroup, memory: CurveMemory, map: Endomorphism, seed: bigint): ClearCofactor {
  const { operations, pointBytes } = group
  const [product, image, sum] = [0, 1, 2].map(() => memory.allocate(pointBytes)) as [number, number, number]
  const multiply = seedMultiplier(group, memory, seed)
  return (point) => {
    multiply(product, point)
    map(image, point)
    operations.add(product, product, image)
    multiply(sum, product)
    operations.add(sum, sum, product)
    operations.subtract(sum, sum, point)
    operations.double(point, point)
    map(image, point)
    map(point, image)
    operations.add(point, point, sum)
  }
}
