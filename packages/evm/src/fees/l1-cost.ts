/** specs: fjord/exec-engine.md#l1-cost-fees-l1-fee-vault */
import type { BlockRules, L1CostFunction } from '@keelson/chainspec'
import { fastLzLength } from './fastlz.ts'
import { hasNoPackedScalars, type L1BlockValues } from './l1-block-values.ts'

export interface L1Cost {
  readonly feeWei: bigint
  readonly gasUsed: bigint
}

const ZERO_BYTE_GAS = 4n
const NON_ZERO_BYTE_GAS = 16n
const BEDROCK_SIGNATURE_BYTES = 68n
const MILLION = 1_000_000n
const FJORD_INTERCEPT = -42_585_600n
const FJORD_COEFFICIENT = 836_500n
const MIN_SIZE_SCALED = 100n * MILLION

function calldataGas(raw: Uint8Array): bigint {
  let zeroes = 0
  for (const byte of raw) if (byte === 0) zeroes++
  return BigInt(zeroes) * ZERO_BYTE_GAS + BigInt(raw.length - zeroes) * NON_ZERO_BYTE_GAS
}

const knownSizes = new WeakMap<Uint8Array, bigint>()

/** In millionths of a byte. */
function estimatedSizeScaled(raw: Uint8Array): bigint {
  const known = knownSizes.get(raw)
  if (known !== undefined) return known
  const estimate = FJORD_INTERCEPT + FJORD_COEFFICIENT * BigInt(fastLzLength(raw))
  const size = estimate < MIN_SIZE_SCALED ? MIN_SIZE_SCALED : estimate
  knownSizes.set(raw, size)
  return size
}

export function estimatedDaBytes(raw: Uint8Array): bigint {
  return estimatedSizeScaled(raw) / MILLION
}

export function activeL1CostFunction(l1Cost: L1CostFunction, values: L1BlockValues): L1CostFunction {
  const packed = l1Cost === 'calldata-packed' || l1Cost === 'fastlz'
  return packed && hasNoPackedScalars(values) ? 'calldata' : l1Cost
}

export function l1Cost(raw: Uint8Array, l1CostFunction: L1CostFunction, values: L1BlockValues): L1Cost {
  switch (activeL1CostFunction(l1CostFunction, values)) {
    case 'calldata-and-signature':
      return unpackedCost(calldataGas(raw) + BEDROCK_SIGNATURE_BYTES * NON_ZERO_BYTE_GAS, values)
    case 'calldata':
      return unpackedCost(calldataGas(raw), values)
    case 'calldata-packed': {
      const gasUsed = calldataGas(raw)
      return { feeWei: (gasUsed * feePerByte(values)) / (NON_ZERO_BYTE_GAS * MILLION), gasUsed }
    }
    case 'fastlz': {
      const size = estimatedSizeScaled(raw)
      return { feeWei: (size * feePerByte(values)) / (MILLION * MILLION), gasUsed: (size * NON_ZERO_BYTE_GAS) / MILLION }
    }
  }
}

function unpackedCost(gas: bigint, values: L1BlockValues): L1Cost {
  const gasUsed = gas + values.overhead
  return { feeWei: (gasUsed * values.baseFeeWei * values.scalar) / MILLION, gasUsed }
}

/** In wei per byte, times a million. */
function feePerByte(values: L1BlockValues): bigint {
  return NON_ZERO_BYTE_GAS * values.baseFeeWei * BigInt(values.baseFeeScalar) + values.blobBaseFeeWei * BigInt(values.blobBaseFeeScalar)
}

export function daFootprint(raw: Uint8Array, rules: BlockRules, values: L1BlockValues): bigint {
  if (!rules.daFootprint) return 0n
  return estimatedDaBytes(raw) * BigInt(values.daFootprintGasScalar)
}
