import type { PairingCurves } from '@keelson/primitives'
import { createBls12 } from './curves/bls12.ts'
import { createBn254 } from './curves/bn254.ts'
import type { MclModule } from './curves/mcl-module.ts'

/** Takes a few hundred milliseconds per thread. Throws AssemblyError `node/native-module`. */
export async function createPairingCurves(): Promise<PairingCurves> {
  const { default: createModule } = await import('mcl-wasm/dist/mcl_c.js')
  const mcl = (await createModule({ cryptoGetRandomValues: noRandomness })) as MclModule
  return { bn254: createBn254(mcl), bls12: createBls12() }
}

function noRandomness(): never {
  throw new Error('curve arithmetic asked for randomness, which it has no use for')
}
