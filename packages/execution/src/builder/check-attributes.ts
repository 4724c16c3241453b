/** specs: protocol/exec-engine.md#engine_forkchoiceupdatedv3 */
import type { BlockRules } from '@keelson/chainspec'
import { bytesToNumber, type Header, type PayloadAttributes } from '@keelson/primitives'

/** Returns the message of error -38003. */
export function checkAttributes(attributes: PayloadAttributes, parent: Header, rules: BlockRules): string | null {
  if (attributes.timestampSec <= parent.timestampSec) {
    return `timestamp ${attributes.timestampSec} is not after the parent's ${parent.timestampSec}`
  }
  if (rules.withdrawals === 'absent' && attributes.withdrawals !== null) return 'withdrawals are not supported yet at this timestamp'
  if (rules.withdrawals !== 'absent' && attributes.withdrawals === null) return 'missing withdrawals'
  if (rules.withdrawals !== 'list' && (attributes.withdrawals?.length ?? 0) > 0) return 'withdrawals must be empty'
  if (rules.parentBeaconRoot && attributes.parentBeaconBlockRoot === null) return 'missing parent beacon block root'
  if (!rules.parentBeaconRoot && attributes.parentBeaconBlockRoot !== null) return 'unexpected parent beacon block root'
  return checkFeeParameters(attributes, rules)
}

function checkFeeParameters(attributes: PayloadAttributes, rules: BlockRules): string | null {
  const params = attributes.eip1559Params
  if (rules.extraDataVersion === null) {
    if (params !== null) return 'eip1559Params are not supported yet at this timestamp'
  } else {
    if (params?.length !== 8) return `eip1559Params must be 8 bytes, got ${params === null ? 'none' : params.length}`
    const denominator = bytesToNumber(params.subarray(0, 4))
    const elasticity = bytesToNumber(params.subarray(4))
    if ((denominator === 0) !== (elasticity === 0)) {
      return `eip1559Params: denominator ${denominator} and elasticity ${elasticity} must both be zero or neither`
    }
  }
  if (rules.minBaseFee && attributes.minBaseFeeWei === null) return 'missing minBaseFee'
  if (!rules.minBaseFee && attributes.minBaseFeeWei !== null) return 'minBaseFee is not supported yet at this timestamp'
  return null
}
