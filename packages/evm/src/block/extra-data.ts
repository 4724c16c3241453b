/** specs: protocol/holocene/exec-engine.md, jovian/exec-engine.md */
import type { BlockRules } from '@keelson/chainspec'
import { bigintToBytes, bytesToBigint, bytesToNumber, EMPTY_BYTES } from '@keelson/primitives'
import { EvmError } from '../errors.ts'

export interface ExtraData {
  readonly version: 0 | 1
  readonly denominator: number
  readonly elasticity: number
  readonly minBaseFeeWei: bigint
}

export type ExtraDataRejection =
  | 'extra-data-not-empty'
  | 'extra-data-too-long'
  | 'extra-data-length'
  | 'extra-data-version'
  | 'extra-data-zero-denominator'
  | 'extra-data-zero-elasticity'

const LENGTHS = { 0: 9, 1: 17 } as const
const MAX_FREE_BYTES = 32

/** Null for an unknown version or length. */
export function decodeExtraData(extraData: Uint8Array): ExtraData | null {
  const version = extraData[0]
  if ((version !== 0 && version !== 1) || extraData.length !== LENGTHS[version]) return null
  return {
    version,
    denominator: bytesToNumber(extraData.subarray(1, 5)),
    elasticity: bytesToNumber(extraData.subarray(5, 9)),
    minBaseFeeWei: version === 1 ? bytesToBigint(extraData.subarray(9, 17)) : 0n,
  }
}

/** Throws EvmError `evm/misuse` without a required attribute. */
export function encodeExtraData(rules: BlockRules, eip1559Params: Uint8Array | null, minBaseFeeWei: bigint | null): Uint8Array {
  const version = rules.extraDataVersion
  if (version === null) return EMPTY_BYTES
  if (eip1559Params === null || eip1559Params.length !== 8) {
    throw new EvmError('evm/misuse', `expected 8 bytes of eip1559Params, got ${eip1559Params === null ? 'none' : eip1559Params.length}`)
  }
  if (version === 1 && minBaseFeeWei === null) throw new EvmError('evm/misuse', 'expected minBaseFee in the attributes, got none')
  const out = new Uint8Array(LENGTHS[version])
  out[0] = version
  if (eip1559Params.some((byte) => byte !== 0)) out.set(eip1559Params, 1)
  else {
    out.set(bigintToBytes(rules.baseFeeConstants.denominator, 4), 1)
    out.set(bigintToBytes(rules.baseFeeConstants.elasticity, 4), 5)
  }
  if (version === 1) out.set(bigintToBytes(minBaseFeeWei as bigint, 8), 9)
  return out
}

export function validateExtraData(extraData: Uint8Array, rules: BlockRules): ExtraDataRejection | null {
  if (rules.extraDataVersion === null) {
    if (rules.chain === 'l1') return extraData.length > MAX_FREE_BYTES ? 'extra-data-too-long' : null
    return extraData.length > 0 ? 'extra-data-not-empty' : null
  }
  if (extraData.length !== LENGTHS[rules.extraDataVersion]) return 'extra-data-length'
  const decoded = decodeExtraData(extraData)
  if (decoded === null || decoded.version !== rules.extraDataVersion) return 'extra-data-version'
  if (decoded.denominator === 0) return 'extra-data-zero-denominator'
  if (decoded.elasticity === 0) return 'extra-data-zero-elasticity'
  return null
}
