/** specs: isthmus/exec-engine.md#operator-fee */
import type { BlockRules } from '@keelson/chainspec'
import type { L1BlockValues } from './l1-block-values.ts'

const MILLION = 1_000_000n
const HUNDRED = 100n

export function operatorFeeWei(gas: bigint, rules: BlockRules, values: L1BlockValues): bigint {
  if (rules.operatorFee === null) return 0n
  const scaled = gas * BigInt(values.operatorFeeScalar)
  const variable = rules.operatorFee === 'millionths' ? scaled / MILLION : scaled * HUNDRED
  return variable + values.operatorFeeConstant
}
