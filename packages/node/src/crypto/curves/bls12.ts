import type { PairingCurves } from '@keelson/primitives'
import { createBls12Arithmetic } from './bls12-arithmetic.ts'
import { Curve } from './curve.ts'
import { BLS12_381, BLS12_CUBE_ROOT, BLS12_SEED, BLS12_TWIST_X, BLS12_TWIST_Y } from './curve-shape.ts'
import { frobeniusMap, negatedCubeRootMap } from './endomorphism.ts'
import { createMclArithmetic } from './mcl-arithmetic.ts'
import type { MclModule } from './mcl-module.ts'
import { MultiScalar } from './multi-scalar.ts'
import { PairingProduct } from './pairing-product.ts'
import { factorCheck } from './subgroup.ts'

/** mcl maps field elements to points and adds two points. */
export function createBls12(mcl: MclModule): PairingCurves['bls12'] {
  const curve = new Curve(createBls12Arithmetic(), BLS12_381)
  const { arithmetic, memory } = curve
  const [g1, g2] = curve.groups
  const mclCurve = new Curve(createMclArithmetic(mcl, BLS12_381), BLS12_381)
  // The maps multiply by the seed's square and by its absolute value.
  const mapG1 = negatedCubeRootMap(arithmetic, memory, BLS12_CUBE_ROOT)
  const [realY, imaginaryY] = BLS12_TWIST_Y
  const mapG2 = frobeniusMap(arithmetic, memory, BLS12_TWIST_X, [BLS12_381.modulus - realY, BLS12_381.modulus - imaginaryY])
  const checkG1 = factorCheck(g1, memory, mapG1, BLS12_SEED, 2)
  const checkG2 = factorCheck(g2, memory, mapG2, BLS12_SEED, 1)
  const sumG1 = new MultiScalar(curve, g1, checkG1, { map: mapG1, radix: BLS12_SEED ** 2n, parts: 2 })
  const sumG2 = new MultiScalar(curve, g2, checkG2, { map: mapG2, radix: BLS12_SEED, parts: 4 })
  const pairing = new PairingProduct(curve, [checkG1, checkG2])
  return {
    addG1: (input) => mclCurve.groups[0].add(input),
    addG2: (input) => mclCurve.groups[1].add(input),
    sumG1: (input) => sumG1.sum(input),
    sumG2: (input) => sumG2.sum(input),
    pairing: (input) => pairing.isOne(input),
    mapToG1: (input) => mclCurve.groups[0].mapTo(input, mcl._mclBnFp_mapToG1),
    mapToG2: (input) => mclCurve.groups[1].mapTo(input, mcl._mclBnFp2_mapToG2),
  }
}
