import { MAX_MILLER_PAIRS, type PairingOperations } from './arithmetic.ts'
import type { Curve, CurveGroup } from './curve.ts'
import type { SubgroupCheck } from './subgroup.ts'

/** One Miller loop per batch, and one final exponentiation. */
export class PairingProduct {
  readonly #operations: PairingOperations
  readonly #groups: readonly [CurveGroup, CurveGroup]
  readonly #checks: readonly [SubgroupCheck, SubgroupCheck]
  readonly #points: readonly [number, number]
  readonly #product: number
  readonly #factor: number

  constructor({ arithmetic, groups, memory }: Curve, checks: readonly [SubgroupCheck, SubgroupCheck]) {
    const [first, second] = groups.map(({ pointBytes }) => memory.allocate(MAX_MILLER_PAIRS * pointBytes)) as [number, number]
    const targetBytes = 12 * arithmetic.elementBytes
    this.#operations = arithmetic.pairing
    this.#groups = groups
    this.#checks = checks
    this.#points = [first, second]
    this.#product = memory.allocate(targetBytes)
    this.#factor = memory.allocate(targetBytes)
  }

  isOne(input: Uint8Array): boolean | null {
    const operations = this.#operations
    const [first, second] = this.#groups
    const pairBytes = first.codec.bytes + second.codec.bytes
    operations.setOne(this.#product)
    let nothing = true
    for (let at = 0; at < input.length; ) {
      let count = 0
      for (; count < MAX_MILLER_PAIRS && at < input.length; at += pairBytes) {
        const g1 = this.#points[0] + count * first.pointBytes
        const g2 = this.#points[1] + count * second.pointBytes
        if (!this.#read(0, input, at, g1) || !this.#read(1, input, at + first.codec.bytes, g2)) return null
        if (first.operations.isZero(g1) === 0 && second.operations.isZero(g2) === 0) count++
      }
      if (count === 0) continue
      nothing = false
      operations.millerLoop(this.#factor, this.#points[0], this.#points[1], count)
      operations.multiply(this.#product, this.#product, this.#factor)
    }
    if (nothing) return true
    return operations.isExponentiatedOne(this.#product) === 1
  }

  #read(index: 0 | 1, input: Uint8Array, from: number, to: number): boolean {
    return this.#groups[index].codec.read(input, from, to) && this.#checks[index](to)
  }
}
