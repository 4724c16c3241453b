import type { BlockRules } from '@keelson/chainspec'
import type { L1BlockValues } from './l1-block-values.ts'
import { activeL1CostFunction, daFootprint, l1Cost } from './l1-cost.ts'

export interface L1FeeDetails {
  readonly l1FeeWei: bigint
  readonly l1GasPriceWei: bigint
  readonly l1GasUsed: bigint
  readonly l1FeeScalar: bigint | null
  readonly l1BaseFeeScalar: number | null
  readonly l1BlobBaseFeeWei: bigint | null
  readonly l1BlobBaseFeeScalar: number | null
  readonly operatorFeeScalar: number | null
  readonly operatorFeeConstant: bigint | null
  readonly daFootprintGasScalar: number | null
  readonly daFootprint: bigint | null
}

export function l1FeeDetails(raw: Uint8Array, rules: BlockRules, values: L1BlockValues): L1FeeDetails | null {
  if (rules.l1Cost === null) return null
  const { feeWei, gasUsed } = l1Cost(raw, rules.l1Cost, values)
  const active = activeL1CostFunction(rules.l1Cost, values)
  const packed = active === 'calldata-packed' || active === 'fastlz'
  const operator = rules.operatorFee !== null && (values.operatorFeeScalar !== 0 || values.operatorFeeConstant !== 0n)
  return {
    l1FeeWei: feeWei,
    l1GasPriceWei: values.baseFeeWei,
    l1GasUsed: gasUsed,
    l1FeeScalar: packed ? null : values.scalar,
    l1BaseFeeScalar: packed ? values.baseFeeScalar : null,
    l1BlobBaseFeeWei: packed ? values.blobBaseFeeWei : null,
    l1BlobBaseFeeScalar: packed ? values.blobBaseFeeScalar : null,
    operatorFeeScalar: operator ? values.operatorFeeScalar : null,
    operatorFeeConstant: operator ? values.operatorFeeConstant : null,
    daFootprintGasScalar: rules.daFootprint ? values.daFootprintGasScalar : null,
    daFootprint: rules.daFootprint ? daFootprint(raw, rules, values) : null,
  }
}
