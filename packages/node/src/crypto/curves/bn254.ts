import type { PairingCurves } from '@keelson/primitives'
import { Curve } from './curve.ts'
import { BN254, BN254_SEED, BN254_TWIST_X, BN254_TWIST_Y } from './curve-shape.ts'
import { frobeniusMap } from './endomorphism.ts'
import { createMclArithmetic } from './mcl-arithmetic.ts'
import type { MclModule } from './mcl-module.ts'
import { PairingProduct } from './pairing-product.ts'
import { bnTwistCheck } from './subgroup.ts'

const SCALAR_BYTES = 32

export function createBn254(mcl: MclModule): PairingCurves['bn254'] {
  const curve = new Curve(createMclArithmetic(mcl, BN254), BN254)
  const { arithmetic, memory } = curve
  const [g1, g2] = curve.groups
  const frobenius = frobeniusMap(arithmetic, memory, BN254_TWIST_X, BN254_TWIST_Y)
  // The first group has no points outside the subgroup.
  const pairing = new PairingProduct(curve, [() => true, bnTwistCheck(g2, memory, frobenius, BN254_SEED)])
  const [point, scalar] = [memory.allocate(g1.pointBytes), memory.allocate(SCALAR_BYTES)]
  return {
    add: (input) => g1.add(input),
    multiply(input) {
      if (!g1.codec.read(input, 0, point)) return null
      memory.bytes().set(input.subarray(g1.codec.bytes, g1.codec.bytes + SCALAR_BYTES), scalar)
      mcl._mclBnFr_setBigEndianMod(scalar, scalar, SCALAR_BYTES)
      mcl._mclBnG1_mul(point, point, scalar)
      return g1.codec.write(point)
    },
    pairing: (input) => pairing.isOne(input),
  }
}
