/** mcl in WebAssembly is tens of times faster than JavaScript. */
import type { PairingCurves } from '@keelson/primitives'
import { type CurveShape, MclCurve, type MclModule } from './mcl-curve.ts'
import { createP256Verifier } from './mcl-p256.ts'

const BN254: CurveShape = {
  id: 4,
  modulus: 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n,
  fieldBytes: 32,
  slotBytes: 32,
  imaginaryFirst: true,
  cofactorG1: false,
}
const BLS12_381: CurveShape = {
  id: 5,
  modulus: 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn,
  fieldBytes: 48,
  slotBytes: 64,
  imaginaryFirst: false,
  cofactorG1: true,
}

/** Takes a few hundred milliseconds per thread. Throws AssemblyError `node/native-module`. */
export async function createPairingCurves(): Promise<PairingCurves> {
  const { default: createModule } = await import('mcl-wasm/dist/mcl_c.js')
  const instance = async () => (await createModule({ cryptoGetRandomValues: noRandomness })) as MclModule
  const instances = await Promise.all([instance(), instance(), instance()])
  const [bn254, bls12] = [new MclCurve(instances[0], BN254), new MclCurve(instances[1], BLS12_381)]
  return {
    bn254: {
      add: (input) => bn254.add('g1', input),
      multiply: (input) => bn254.multiply(input),
      pairing: (input) => bn254.pairing(input),
    },
    bls12: {
      addG1: (input) => bls12.add('g1', input),
      addG2: (input) => bls12.add('g2', input),
      sumG1: (input) => bls12.sumOfProducts('g1', input),
      sumG2: (input) => bls12.sumOfProducts('g2', input),
      pairing: (input) => bls12.pairing(input),
      mapToG1: (input) => bls12.mapTo('g1', input),
      mapToG2: (input) => bls12.mapTo('g2', input),
    },
    verifyP256: createP256Verifier(instances[2]),
  }
}

function noRandomness(): never {
  throw new Error('curve arithmetic asked for randomness, which it has no use for')
}
