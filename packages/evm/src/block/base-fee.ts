/** EIP-1559; specs: protocol/exec-engine.md#1559-parameters */
import type { BlockRules } from '@keelson/chainspec'
import type { Header } from '@keelson/primitives'
import { decodeExtraData, type ExtraData } from './extra-data.ts'

export const INITIAL_BASE_FEE_WEI = 1_000_000_000n

export type BaseFeeParent = Pick<Header, 'baseFeeWei' | 'gasLimit' | 'gasUsed' | 'blobGasUsed' | 'extraData'>

/** The first block of a fork still uses its parent's extraData. */
export function nextBaseFeeWei(parent: BaseFeeParent, rules: BlockRules): bigint {
  if (parent.baseFeeWei === null) return INITIAL_BASE_FEE_WEI
  const stated = rules.eip1559Source === 'header' ? statedParameters(parent.extraData) : null
  const elasticity = stated === null ? rules.baseFeeConstants.elasticity : BigInt(stated.elasticity)
  const denominator = stated === null ? rules.baseFeeConstants.denominator : BigInt(stated.denominator)
  const gasMetered = stated?.version === 1 ? max(parent.gasUsed, parent.blobGasUsed ?? 0n) : parent.gasUsed
  const next = adjust(parent.baseFeeWei, gasMetered, parent.gasLimit / elasticity, denominator)
  return max(next, stated?.minBaseFeeWei ?? 0n)
}

/** Zero parameters mean that none are set. */
function statedParameters(extraData: Uint8Array): ExtraData | null {
  const decoded = decodeExtraData(extraData)
  return decoded === null || decoded.denominator === 0 || decoded.elasticity === 0 ? null : decoded
}

function adjust(baseFeeWei: bigint, gasMetered: bigint, target: bigint, denominator: bigint): bigint {
  if (gasMetered === target || target === 0n) return baseFeeWei
  if (gasMetered > target) return baseFeeWei + max(1n, (baseFeeWei * (gasMetered - target)) / target / denominator)
  return baseFeeWei - (baseFeeWei * (target - gasMetered)) / target / denominator
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
