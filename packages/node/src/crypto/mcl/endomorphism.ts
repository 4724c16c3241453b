/** Maps of a group onto itself that multiply points of the subgroup by a constant, at the price of a few field products. */
import type { MclMemory } from './mcl-memory.ts'
import { FP_BYTES, type MclModule } from './mcl-module.ts'

/** Writes the image of the point at `x` to `z`, another address. Works in Jacobian coordinates. */
export type Endomorphism = (z: number, x: number) => void

/** (x, y) -> (root * x, -y) */
export function negatedCubeRootMap(mcl: MclModule, memory: MclMemory, root: bigint): Endomorphism {
  const factor = memory.constant(root)
  return (z, x) => {
    mcl._mclBnFp_mul(z, x, factor)
    mcl._mclBnFp_neg(z + FP_BYTES, x + FP_BYTES)
    memory.copy(z + 2 * FP_BYTES, x + 2 * FP_BYTES, FP_BYTES)
  }
}

type Fp2 = readonly [bigint, bigint]

/** The Frobenius map on the twist: conjugate coordinates times constants. */
export function frobeniusMap(mcl: MclModule, memory: MclMemory, factorX: Fp2, factorY: Fp2): Endomorphism {
  const factors = [memory.constant(...factorX), memory.constant(...factorY), null]
  return (z, x) => {
    for (const [i, factor] of factors.entries()) {
      const coordinate = 2 * FP_BYTES * i
      memory.copy(z + coordinate, x + coordinate, FP_BYTES)
      mcl._mclBnFp_neg(z + coordinate + FP_BYTES, x + coordinate + FP_BYTES)
      if (factor !== null) mcl._mclBnFp2_mul(z + coordinate, z + coordinate, factor)
    }
  }
}
