/** EIP-2537. */
import type { Bls12Price, PrecompileInputLimits } from '@keelson/chainspec'
import type { CurveResult, PairingCurves } from '@keelson/primitives'
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
    fixedLength('bls12 add G1', price.addG1, 2 * G1_BYTES, curve.addG1),
    sumOfProducts('bls12 msm G1', price.multiplyG1, price.discountsG1, G1_BYTES + SCALAR_BYTES, limits.blsG1Msm, curve.sumG1),
    fixedLength('bls12 add G2', price.addG2, 2 * G2_BYTES, curve.addG2),
    sumOfProducts('bls12 msm G2', price.multiplyG2, price.discountsG2, G2_BYTES + SCALAR_BYTES, limits.blsG2Msm, curve.sumG2),
    pairing(price, limits.blsPairing, curve),
    fixedLength('bls12 map to G1', price.mapToG1, FIELD_BYTES, curve.mapToG1),
    fixedLength('bls12 map to G2', price.mapToG2, 2 * FIELD_BYTES, curve.mapToG2),
  ]
}

function fixedLength(name: string, gas: bigint, length: number, operation: Operation): Precompile {
  return { name, gas: () => gas, run: (input) => (input.length === length ? operation(input) : null) }
}

function sumOfProducts(
  name: string,
  multiply: bigint,
  discounts: readonly number[],
  itemBytes: number,
  maxBytes: number | null,
  operation: Operation,
): Precompile {
  return {
    name,
    gas({ length }) {
      const count = Math.floor(length / itemBytes)
      if (count === 0) return 0n
      const discount = discounts[Math.min(count, discounts.length) - 1] as number
      return (BigInt(count) * multiply * BigInt(discount)) / THOUSANDTHS
    },
    run: (input) => (fitsItems(input, itemBytes, maxBytes) ? operation(input) : null),
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
  }
}

function fitsItems({ length }: Uint8Array, itemBytes: number, maxBytes: number | null): boolean {
  return length > 0 && length % itemBytes === 0 && (maxBytes === null || length <= maxBytes)
}
