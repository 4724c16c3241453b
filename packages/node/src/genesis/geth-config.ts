/** The `config` object of a genesis.json, so that the files also serve geth, op-geth and others. */
import { type BlockRules, DEFAULT_CHAIN_CONSTANTS, FORKS, l1ChainConfigToJson, l1ConfigAtGenesis } from '@keelson/chainspec'
import type { DevnetParameters } from './devnet-parameters.ts'

export function l1GethConfig(parameters: DevnetParameters): Readonly<Record<string, unknown>> {
  return l1ChainConfigToJson(l1ConfigAtGenesis(parameters.l1ChainId, parameters.l1Fork))
}

/** Everything up to the chain's fork is on from the first block. */
export function l2GethConfig(parameters: DevnetParameters, rules: BlockRules): Readonly<Record<string, unknown>> {
  const { blobSchedule: _, ...ethereum } = l1ChainConfigToJson(l1ConfigAtGenesis(parameters.l2ChainId, rules.ethFork))
  const forks = FORKS.slice(1, FORKS.indexOf(parameters.fork) + 1)
  const { baseFee, baseFeeCanyon } = DEFAULT_CHAIN_CONSTANTS
  return {
    ...ethereum,
    bedrockBlock: 0,
    ...Object.fromEntries(forks.map((fork) => [`${fork}Time`, 0])),
    optimism: {
      eip1559Elasticity: Number(baseFee.elasticity),
      eip1559Denominator: Number(baseFee.denominator),
      eip1559DenominatorCanyon: Number(baseFeeCanyon.denominator),
    },
  }
}
