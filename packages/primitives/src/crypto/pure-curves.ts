/** Needs neither native code nor WebAssembly, but is tens of times slower. */
import type { Fp2 } from '@noble/curves/abstract/tower.js'
import type { WeierstrassPoint } from '@noble/curves/abstract/weierstrass.js'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import type { PairingCurves } from './crypto.ts'
import { PurePairingCurve } from './pure-pairing-curve.ts'

// noble's declared types differ from the functions'.
const mapToG1 = bls12_381.G1.mapToCurve as unknown as (element: bigint) => WeierstrassPoint<bigint>
const mapToG2 = bls12_381.G2.mapToCurve as unknown as (element: readonly [bigint, bigint]) => WeierstrassPoint<Fp2>

export function createPureCurves(): PairingCurves {
  const bn = new PurePairingCurve({ curve: bn254, slotBytes: 32, imaginaryFirst: true })
  const bls = new PurePairingCurve({ curve: bls12_381, slotBytes: 64, imaginaryFirst: false })
  return {
    bn254: {
      add: (input) => bn.add(bn.g1, input),
      multiply: (input) => bn.multiply(input),
      pairing: (input) => bn.pairing(input),
    },
    bls12: {
      addG1: (input) => bls.add(bls.g1, input),
      addG2: (input) => bls.add(bls.g2, input),
      sumG1: (input) => bls.sumOfProducts(bls.g1, input),
      sumG2: (input) => bls.sumOfProducts(bls.g2, input),
      pairing: (input) => bls.pairing(input),
      mapToG1(input) {
        const element = bls.field(input, 0)
        return element === null ? null : bls.g1.write(mapToG1(element))
      },
      mapToG2(input) {
        const element = bls.extension(input, 0)
        return element === null ? null : bls.g2.write(mapToG2([element.c0, element.c1]))
      },
    },
  }
}
