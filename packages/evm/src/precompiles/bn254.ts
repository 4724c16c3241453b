/** EIP-196, EIP-197. */
import type { Bn254Price } from '@keelson/chainspec'
import type { PairingCurves } from '@keelson/primitives'
import { bn254PairingFailure, bn254PointsFailure } from './curve-failures.ts'
import { booleanWord, fixedInput } from './fixed-input.ts'
import type { Precompile } from './precompile.ts'

const ADD_BYTES = 128
const MULTIPLY_BYTES = 96
const PAIR_BYTES = 192

type Bn254 = PairingCurves['bn254']

export function createBn254Add({ add }: Bn254Price, curve: Bn254): Precompile {
  return {
    name: 'bn254 add',
    gas: () => add,
    run: (input) => curve.add(fixedInput(input, ADD_BYTES)),
    failure: (input) => bn254PointsFailure(fixedInput(input, ADD_BYTES), 2),
  }
}

export function createBn254Multiply({ multiply }: Bn254Price, curve: Bn254): Precompile {
  return {
    name: 'bn254 multiply',
    gas: () => multiply,
    run: (input) => curve.multiply(fixedInput(input, MULTIPLY_BYTES)),
    failure: (input) => bn254PointsFailure(fixedInput(input, MULTIPLY_BYTES), 1),
  }
}

export function createBn254Pairing({ pairingBase, pairingPair }: Bn254Price, maxBytes: number | null, curve: Bn254): Precompile {
  return {
    name: 'bn254 pairing',
    gas: (input) => pairingBase + pairingPair * BigInt(Math.floor(input.length / PAIR_BYTES)),
    run(input) {
      if (input.length % PAIR_BYTES !== 0 || (maxBytes !== null && input.length > maxBytes)) return null
      const holds = curve.pairing(input)
      return holds === null ? null : booleanWord(holds)
    },
    failure(input) {
      // op-geth checks its limit first.
      if (maxBytes !== null && input.length > maxBytes) return 'bad elliptic curve pairing input size'
      return input.length % PAIR_BYTES === 0 ? bn254PairingFailure(input, curve) : 'bad elliptic curve pairing size'
    },
  }
}
