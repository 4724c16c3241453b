import {
  type ForkTimes,
  genesisHeader,
  l1ChainConfigToJson,
  l1ConfigAtGenesis,
  l1ForkRules,
  type RollupConfig,
  rollupConfigToJson,
} from '@keelson/chainspec'
import { type BlockId, EMPTY_TRIE_ROOT, type Hash, hashHeader } from '@keelson/primitives'
import { networkRollupConfig } from '../network-config.ts'
import type { DevnetGenesis } from './build-devnet-genesis.ts'
import type { DevnetParameters } from './devnet-parameters.ts'

/** Anvil's block 0 has the empty state root regardless of its accounts. */
export function l1GenesisHash({ l1, parameters }: DevnetGenesis): Hash {
  return hashHeader(genesisHeader(l1, EMPTY_TRIE_ROOT, null, l1ForkRules(parameters.l1Fork)))
}

export interface DevnetChanges {
  readonly l1Genesis?: BlockId
  readonly laterForks?: ForkTimes
}

export function devnetRollupConfig(genesis: DevnetGenesis, { l1Genesis, laterForks }: DevnetChanges = {}): RollupConfig {
  return networkRollupConfig(genesis, l1Genesis ?? { hash: l1GenesisHash(genesis), number: 0 }, laterForks)
}

export function devnetRollupJson(genesis: DevnetGenesis, changes?: DevnetChanges): Record<string, unknown> {
  return rollupConfigToJson(devnetRollupConfig(genesis, changes))
}

export function devnetL1ChainJson(parameters: DevnetParameters): Record<string, unknown> {
  return l1ChainConfigToJson(l1ConfigAtGenesis(parameters.l1ChainId, parameters.l1Fork))
}
