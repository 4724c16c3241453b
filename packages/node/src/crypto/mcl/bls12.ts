import type { PairingCurves } from '@keelson/primitives'
import { BLS12_381, BLS12_CUBE_ROOT, BLS12_SEED, BLS12_TWIST_X, BLS12_TWIST_Y } from './curve-shape.ts'
import { frobeniusMap, negatedCubeRootMap } from './endomorphism.ts'
import { MclCurve } from './mcl-curve.ts'
import type { MclModule } from './mcl-module.ts'
import { MultiScalar } from './multi-scalar.ts'
import { PairingProduct } from './pairing-product.ts'
import { factorCheck } from './subgroup.ts'

export function createBls12(mcl: MclModule): PairingCurves['bls12'] {
  const curve = new MclCurve(mcl, BLS12_381)
  const { memory } = curve
  const [g1, g2] = [curve.first(), curve.second()]
  // These maps multiply by the square of the seed's absolute value and by the absolute value.
  const mapG1 = negatedCubeRootMap(mcl, memory, BLS12_CUBE_ROOT)
  const [realY, imaginaryY] = BLS12_TWIST_Y
  const mapG2 = frobeniusMap(mcl, memory, BLS12_TWIST_X, [BLS12_381.modulus - realY, BLS12_381.modulus - imaginaryY])
  const checkG1 = factorCheck(g1.operations, memory, mapG1, BLS12_SEED, 2)
  const checkG2 = factorCheck(g2.operations, memory, mapG2, BLS12_SEED, 1)
  const sumG1 = new MultiScalar(curve, g1, checkG1, { map: mapG1, radix: BLS12_SEED ** 2n, parts: 2 })
  const sumG2 = new MultiScalar(curve, g2, checkG2, { map: mapG2, radix: BLS12_SEED, parts: 4 })
  const pairing = new PairingProduct(curve, [g1, g2], [checkG1, checkG2])
  return {
    addG1: (input) => g1.add(input),
    addG2: (input) => g2.add(input),
    sumG1: (input) => sumG1.sum(input),
    sumG2: (input) => sumG2.sum(input),
    pairing: (input) => pairing.isOne(input),
    mapToG1: (input) => g1.mapTo(input, mcl._mclBnFp_mapToG1),
    mapToG2: (input) => g2.mapTo(input, mcl._mclBnFp2_mapToG2),
  }
}
