import type { CurveGroup, MclCurve } from './mcl-curve.ts'
import { GT_BYTES, type MclModule } from './mcl-module.ts'
import type { SubgroupCheck } from './subgroup.ts'

/** Pairs per Miller loop. */
const BATCH = 128

/** Whether a product of pairings is one: one Miller loop per batch, and one final exponentiation. */
export class PairingProduct {
  readonly #mcl: MclModule
  readonly #groups: readonly [CurveGroup, CurveGroup]
  readonly #checks: readonly [SubgroupCheck, SubgroupCheck]
  readonly #points: readonly [number, number]
  readonly #product: number
  readonly #factor: number

  constructor({ mcl, memory }: MclCurve, groups: readonly [CurveGroup, CurveGroup], checks: readonly [SubgroupCheck, SubgroupCheck]) {
    const [first, second] = groups.map(({ operations }) => memory.allocate(BATCH * operations.pointBytes)) as [number, number]
    this.#mcl = mcl
    this.#groups = groups
    this.#checks = checks
    this.#points = [first, second]
    this.#product = memory.allocate(GT_BYTES)
    this.#factor = memory.allocate(GT_BYTES)
  }

  isOne(input: Uint8Array): boolean | null {
    const mcl = this.#mcl
    const [first, second] = this.#groups
    const pairBytes = first.codec.bytes + second.codec.bytes
    mcl._mclBnGT_setInt32(this.#product, 1)
    let nothing = true
    for (let at = 0; at < input.length; ) {
      let count = 0
      for (; count < BATCH && at < input.length; at += pairBytes) {
        const g1 = this.#points[0] + count * first.operations.pointBytes
        const g2 = this.#points[1] + count * second.operations.pointBytes
        if (!this.#read(0, input, at, g1) || !this.#read(1, input, at + first.codec.bytes, g2)) return null
        if (first.operations.isZero(g1) === 0 && second.operations.isZero(g2) === 0) count++
      }
      if (count === 0) continue
      nothing = false
      mcl._mclBn_millerLoopVec(this.#factor, this.#points[0], this.#points[1], count)
      mcl._mclBnGT_mul(this.#product, this.#product, this.#factor)
    }
    if (nothing) return true
    mcl._mclBn_finalExp(this.#product, this.#product)
    return mcl._mclBnGT_isOne(this.#product) === 1
  }

  #read(index: 0 | 1, input: Uint8Array, from: number, to: number): boolean {
    return this.#groups[index].codec.read(input, from, to) && this.#checks[index](to)
  }
}
