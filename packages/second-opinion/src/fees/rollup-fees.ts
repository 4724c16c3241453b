/**
 * specs: protocol/exec-engine.md#l1-cost-fees-l1-fee-vault, protocol/fjord/exec-engine.md,
 * protocol/isthmus/exec-engine.md#operator-fee, protocol/jovian/exec-engine.md
 */
import type { BlockRules } from '@keelson/chainspec'
import { flzSize } from './flz-size.ts'
import type { L1BlockSlots } from './l1-block-slots.ts'

const MICRO = 1_000_000n
const GAS_PER_BYTE = 16n
const GAS_PER_ZERO_BYTE = 4n
/** Bedrock prices the signature as 68 non-zero bytes. */
const BEDROCK_SIGNATURE_GAS = 68n * GAS_PER_BYTE
/** Fjord's linear estimate of the compressed size, in millionths of a byte. */
const FJORD = { intercept: -42_585_600n, slope: 836_500n, least: 100n * MICRO }

function calldataGas(raw: Uint8Array): bigint {
  const zeros = BigInt(raw.filter((byte) => byte === 0).length)
  return zeros * GAS_PER_ZERO_BYTE + (BigInt(raw.length) - zeros) * GAS_PER_BYTE
}

/** Returns millionths of a byte. */
function fjordSize(raw: Uint8Array): bigint {
  const size = FJORD.intercept + FJORD.slope * BigInt(flzSize(raw))
  return size < FJORD.least ? FJORD.least : size
}

export function l1FeeWei(raw: Uint8Array, rules: BlockRules, slots: L1BlockSlots): bigint {
  const bedrockFee = (gas: bigint) => ((gas + slots.bedrockOverhead) * slots.baseFee * slots.bedrockScalar) / MICRO
  const scaledPrice = GAS_PER_BYTE * slots.baseFee * slots.baseFeeScalar + slots.blobBaseFee * slots.blobBaseFeeScalar
  if (rules.l1Cost === null) return 0n
  if (rules.l1Cost === 'calldata-and-signature') return bedrockFee(calldataGas(raw) + BEDROCK_SIGNATURE_GAS)
  // Ecotone's first block still has Bedrock's slots.
  const unpacked = slots.blobBaseFee === 0n && slots.baseFeeScalar === 0n && slots.blobBaseFeeScalar === 0n
  if (rules.l1Cost === 'calldata' || unpacked) return bedrockFee(calldataGas(raw))
  if (rules.l1Cost === 'calldata-packed') return (calldataGas(raw) * scaledPrice) / (GAS_PER_BYTE * MICRO)
  return (fjordSize(raw) * scaledPrice) / (MICRO * MICRO)
}

export function operatorFeeWei(gas: bigint, rules: BlockRules, slots: L1BlockSlots): bigint {
  if (rules.operatorFee === null) return 0n
  const perGas = gas * slots.operatorFeeScalar
  return slots.operatorFeeConstant + (rules.operatorFee === 'hundreds' ? perGas * 100n : perGas / MICRO)
}

/** The transaction's share of the header's blobGasUsed since Jovian. */
export function daFootprintGas(raw: Uint8Array, rules: BlockRules, slots: L1BlockSlots): bigint {
  return rules.daFootprint ? (fjordSize(raw) / MICRO) * slots.daFootprintGasScalar : 0n
}
