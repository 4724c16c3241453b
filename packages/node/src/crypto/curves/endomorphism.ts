/** These maps multiply points of the subgroup by a constant. */
import type { CurveArithmetic } from './arithmetic.ts'
import type { CurveMemory } from './curve-memory.ts'

/** Writes the image of the point at `x` to `z`, another address. */
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
