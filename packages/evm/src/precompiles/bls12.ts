/** EIP-2537. */
import type { Bls12Price, PrecompileInputLimits } from '@keelson/chainspec'
import type { CurveResult, PairingCurves } from '@keelson/primitives'
import { bls12ElementsFailure, bls12PairingFailure, bls12PointsFailure, bls12SumFailure } from './curve-failures.ts'
import { booleanWord } from './fixed-input.ts'
import type { Precompile } from './precompile.ts'

const FIELD_BYTES = 64
const G1_BYTES = 2 * FIELD_BYTES
const G2_BYTES = 4 * FIELD_BYTES
const SCALAR_BYTES = 32
const PAIR_BYTES = G1_BYTES + G2_BYTES
const THOUSANDTHS = 1000n

type Operation = (input: Uint8Array) => CurveResult<Uint8Array>

/** In the order of their addresses. */
export function createBls12(price: Bls12Price, limits: PrecompileInputLimits, curve: PairingCurves['bls12']): readonly Precompile[] {
  return [
    fixedLength('bls12 add G1', price.addG1, 2 * G1_BYTES, curve.addG1, (input) => bls12PointsFailure(input, 'g1')),
    sumOfProducts('g1', price.multiplyG1, price.discountsG1, limits.blsG1Msm, curve),
    fixedLength('bls12 add G2', price.addG2, 2 * G2_BYTES, curve.addG2, (input) => bls12PointsFailure(input, 'g2')),
    sumOfProducts('g2', price.multiplyG2, price.discountsG2, limits.blsG2Msm, curve),
    pairing(price, limits.blsPairing, curve),
    fixedLength('bls12 map to G1', price.mapToG1, FIELD_BYTES, curve.mapToG1, elementsFailure),
    fixedLength('bls12 map to G2', price.mapToG2, 2 * FIELD_BYTES, curve.mapToG2, elementsFailure),
  ]
}

const INPUT_LENGTH = 'invalid input length'
const elementsFailure = (input: Uint8Array) => bls12ElementsFailure(input, FIELD_BYTES)

function fixedLength(
  name: string,
  gas: bigint,
  length: number,
  operation: Operation,
  pointsFailure: (input: Uint8Array) => string,
): Precompile {
  return {
    name,
    gas: () => gas,
    run: (input) => (input.length === length ? operation(input) : null),
    failure: (input) => (input.length === length ? pointsFailure(input) : INPUT_LENGTH),
  }
}

function sumOfProducts(
  group: 'g1' | 'g2',
  multiply: bigint,
  discounts: readonly number[],
  maxBytes: number | null,
  curve: PairingCurves['bls12'],
): Precompile {
  const itemBytes = (group === 'g1' ? G1_BYTES : G2_BYTES) + SCALAR_BYTES
  const operation: Operation = group === 'g1' ? (input) => curve.sumG1(input) : (input) => curve.sumG2(input)
  return {
    name: group === 'g1' ? 'bls12 msm G1' : 'bls12 msm G2',
    gas({ length }) {
      const count = Math.floor(length / itemBytes)
      if (count === 0) return 0n
      const discount = discounts[Math.min(count, discounts.length) - 1] as number
      return (BigInt(count) * multiply * BigInt(discount)) / THOUSANDTHS
    },
    run: (input) => (fitsItems(input, itemBytes, maxBytes) ? operation(input) : null),
    failure: (input) => (fitsItems(input, itemBytes, maxBytes) ? bls12SumFailure(input, itemBytes, group, curve) : INPUT_LENGTH),
  }
}

function pairing(price: Bls12Price, maxBytes: number | null, curve: PairingCurves['bls12']): Precompile {
  return {
    name: 'bls12 pairing',
    gas: ({ length }) => price.pairingBase + price.pairingPair * BigInt(Math.floor(length / PAIR_BYTES)),
    run(input) {
      const holds = fitsItems(input, PAIR_BYTES, maxBytes) ? curve.pairing(input) : null
      return holds === null ? null : booleanWord(holds)
    },
    failure: (input) => (fitsItems(input, PAIR_BYTES, maxBytes) ? bls12PairingFailure(input, curve) : INPUT_LENGTH),
  }
}

function fitsItems({ length }: Uint8Array, itemBytes: number, maxBytes: number | null): boolean {
  return length > 0 && length % itemBytes === 0 && (maxBytes === null || length <= maxBytes)
}
