/** The `config` object of a genesis.json, so that the files also serve geth, op-geth and others. */
import {
  type BlockRules,
  DEFAULT_CHAIN_CONSTANTS,
  type Fork,
  type ForkSchedule,
  forksUpTo,
  forkTimesToJson,
  l1ChainConfigToJson,
  l1ConfigAtGenesis,
} from '@keelson/chainspec'
import { l2Time } from '@keelson/primitives'
import type { DevnetParameters } from './devnet-parameters.ts'
import type { NetworkParameters } from './network-parameters.ts'

export function l1GethConfig(parameters: DevnetParameters): Readonly<Record<string, unknown>> {
  return l1ChainConfigToJson(l1ConfigAtGenesis(parameters.l1ChainId, parameters.l1Fork))
}

/** Everything up to the chain's fork is on from the first block. */
export function l2GethConfig(parameters: NetworkParameters, rules: BlockRules): Readonly<Record<string, unknown>> {
  const { blobSchedule: _, ...ethereum } = l1ChainConfigToJson(l1ConfigAtGenesis(parameters.l2ChainId, rules.ethFork))
  const forks = forksUpTo(parameters.fork).slice(1)
  const { baseFee, baseFeeCanyon } = DEFAULT_CHAIN_CONSTANTS
  return {
    ...ethereum,
    bedrockBlock: 0,
    ...forkTimesToJson(
      forks.map((fork) => [fork, 0]),
      'Time',
    ),
    optimism: {
      eip1559Elasticity: Number(baseFee.elasticity),
      eip1559Denominator: Number(baseFee.denominator),
      eip1559DenominatorCanyon: Number(baseFeeCanyon.denominator),
    },
  }
}

/** Keys of forks that come after the genesis, Ethereum's with the rollup's that bring them. */
export function laterForksGethConfig(forks: ForkSchedule, genesisTimeSec: number): Readonly<Record<string, unknown>> {
  const keys: Record<string, number> = {}
  const later: (readonly [Fork, number])[] = []
  let ethFork = forks.blockRules(l2Time(genesisTimeSec)).ethFork
  for (const fork of forks.lineage) {
    const timeSec = forks.activationTimeSec(fork)
    if (timeSec === null || timeSec <= genesisTimeSec) continue
    later.push([fork, timeSec])
    const brought = forks.blockRules(l2Time(timeSec)).ethFork
    if (brought !== ethFork) keys[`${brought}Time`] = timeSec
    ethFork = brought
  }
  return { ...forkTimesToJson(later, 'Time'), ...keys }
}
