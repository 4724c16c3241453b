import {
  type BlockRules,
  DEFAULT_CHAIN_CONSTANTS,
  type Fork,
  type ForkSchedule,
  forksUpTo,
  forkTimesToJson,
  l1ChainConfigToJson,
  l1ConfigAtGenesis,
  type RollupConfig,
} from '@keelson/chainspec'
import { l2Time } from '@keelson/primitives'
import type { DevnetParameters } from './devnet/devnet-parameters.ts'
import type { NetworkParameters } from './network-parameters.ts'

export function l1GethConfig(parameters: DevnetParameters): Readonly<Record<string, unknown>> {
  return l1ChainConfigToJson(l1ConfigAtGenesis(parameters.l1ChainId, parameters.l1Fork))
}

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

/** For a genesis.json without `config`, as in the superchain registry. */
export function rollupGethConfig({ l2ChainId, genesis, forks, eip1559 }: RollupConfig): Readonly<Record<string, unknown>> {
  const { l2TimestampSec, l2 } = genesis
  const { ethFork } = forks.blockRules(l2Time(l2TimestampSec))
  const { blobSchedule: _, ...ethereum } = l1ChainConfigToJson(l1ConfigAtGenesis(l2ChainId, ethFork))
  const atGenesis = forks.lineage.slice(1).filter((fork) => (forks.activationTimeSec(fork) ?? Number.POSITIVE_INFINITY) <= l2TimestampSec)
  return {
    ...ethereum,
    bedrockBlock: l2.number,
    ...forkTimesToJson(
      atGenesis.map((fork) => [fork, 0]),
      'Time',
    ),
    ...laterForksGethConfig(forks, l2TimestampSec),
    optimism: {
      eip1559Elasticity: eip1559.elasticity,
      eip1559Denominator: eip1559.denominator,
      eip1559DenominatorCanyon: eip1559.denominatorCanyon,
    },
  }
}

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
