import type { PairingCurves } from '@keelson/primitives'
import { createBls12Arithmetic } from './bls12-arithmetic.ts'
import { G1_MAP, G2_MAP } from './bls12-maps.ts'
import { Curve } from './curve.ts'
import { BLS12_381, BLS12_CUBE_ROOT, BLS12_SEED, BLS12_TWIST_X, BLS12_TWIST_Y } from './curve-shape.ts'
import { frobeniusMap, negatedCubeRootMap } from './endomorphism.ts'
import { clearCofactorG1, clearCofactorG2, MapToGroup } from './map-to-group.ts'
import { MultiScalar } from './multi-scalar.ts'
import { PairingProduct } from './pairing-product.ts'
import { factorCheck } from './subgroup.ts'

export function createBls12(): PairingCurves['bls12'] {
  const arithmetic = createBls12Arithmetic()
  const curve = new Curve(arithmetic, BLS12_381)
  const { memory } = curve
  const [g1, g2] = curve.groups
  // The maps multiply by the seed's square and by its absolute value.
  const mapG1 = negatedCubeRootMap(arithmetic, memory, BLS12_CUBE_ROOT)
  const [realY, imaginaryY] = BLS12_TWIST_Y
  const mapG2 = frobeniusMap(arithmetic, memory, BLS12_TWIST_X, [BLS12_381.modulus - realY, BLS12_381.modulus - imaginaryY])
  const checkG1 = factorCheck(g1, memory, mapG1, BLS12_SEED, 2)
  const checkG2 = factorCheck(g2, memory, mapG2, BLS12_SEED, 1)
  const sumG1 = new MultiScalar(curve, g1, checkG1, { map: mapG1, radix: BLS12_SEED ** 2n, parts: 2 })
  const sumG2 = new MultiScalar(curve, g2, checkG2, { map: mapG2, radix: BLS12_SEED, parts: 4 })
  const pairing = new PairingProduct(curve, [checkG1, checkG2])
  const toG1 = new MapToGroup(g1, memory, arithmetic.maps[0], G1_MAP, clearCofactorG1(g1, memory, BLS12_SEED))
  const toG2 = new MapToGroup(g2, memory, arithmetic.maps[1], G2_MAP, clearCofactorG2(g2, memory, mapG2, BLS12_SEED))
  return {
    addG1: (input) => g1.add(input),
    addG2: (input) => g2.add(input),
    sumG1: (input) => sumG1.sum(input),
    sumG2: (input) => sumG2.sum(input),
    pairing: (input) => pairing.isOne(input),
    mapToG1: (input) => toG1.map(input),
    mapToG2: (input) => toG2.map(input),
  }
}
