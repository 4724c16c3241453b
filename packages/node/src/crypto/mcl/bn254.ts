import type { PairingCurves } from '@keelson/primitives'
import { BN254, BN254_SEED, BN254_TWIST_X, BN254_TWIST_Y } from './curve-shape.ts'
import { frobeniusMap } from './endomorphism.ts'
import { MclCurve } from './mcl-curve.ts'
import { type MclModule, SCALAR_BYTES } from './mcl-module.ts'
import { PairingProduct } from './pairing-product.ts'
import { bnTwistCheck } from './subgroup.ts'

export function createBn254(mcl: MclModule): PairingCurves['bn254'] {
  const curve = new MclCurve(mcl, BN254)
  const { memory } = curve
  const [g1, g2] = [curve.first(), curve.second()]
  const frobenius = frobeniusMap(mcl, memory, BN254_TWIST_X, BN254_TWIST_Y)
  // The first group has no points outside the subgroup.
  const pairing = new PairingProduct(curve, [g1, g2], [() => true, bnTwistCheck(g2.operations, memory, frobenius, BN254_SEED)])
  const [point, scalar] = [memory.allocate(g1.operations.pointBytes), memory.allocate(SCALAR_BYTES)]
  return {
    add: (input) => g1.add(input),
    multiply(input) {
      if (!g1.codec.read(input, 0, point)) return null
      memory.readScalar(scalar, input.subarray(g1.codec.bytes, g1.codec.bytes + SCALAR_BYTES))
      mcl._mclBnG1_mul(point, point, scalar)
      return g1.codec.write(point)
    },
    pairing: (input) => pairing.isOne(input),
  }
}
