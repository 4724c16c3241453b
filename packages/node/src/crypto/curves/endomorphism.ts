/** Maps of a group onto itself that multiply points of the subgroup by a constant, at the price of a few field products. */
import type { CurveArithmetic } from './arithmetic.ts'
import type { CurveMemory } from './curve-memory.ts'

/** Writes the image of the point at `x` to `z`, another address. Works in Jacobian coordinates. */
export type Endomorphism = (z: number, x: number) => void

/** (x, y) -> (root * x, -y) */
export function negatedCubeRootMap(arithmetic: CurveArithmetic, memory: CurveMemory, root: bigint): Endomorphism {
  const { elementBytes } = arithmetic
  const factor = memory.constant(root)
  return (z, x) => {
    arithmetic.multiply(z, x, factor)
    arithmetic.negate(z + elementBytes, x + elementBytes)
    memory.copy(z + 2 * elementBytes, x + 2 * elementBytes, elementBytes)
  }
}

type Fp2 = readonly [bigint, bigint]

/** The Frobenius map on the twist: conjugate coordinates times constants. */
export function frobeniusMap(arithmetic: CurveArithmetic, memory: CurveMemory, factorX: Fp2, factorY: Fp2): Endomorphism {
  const { elementBytes } = arithmetic
  const factors = [memory.constant(...factorX), memory.constant(...factorY), null]
  return (z, x) => {
    for (const [i, factor] of factors.entries()) {
      const coordinate = 2 * elementBytes * i
      memory.copy(z + coordinate, x + coordinate, elementBytes)
      arithmetic.negate(z + coordinate + elementBytes, x + coordinate + elementBytes)
      if (factor !== null) arithmetic.multiply2(z + coordinate, z + coordinate, factor)
    }
  }
}
