/**
 * The development network's rollup.json and l1-chain.json, and the hash of L1's first block. That hash is known before L1
 * runs, because the header of anvil's block 0 does not depend on the state.
 */
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

/** Hash of anvil's block 0: its state root is that of the empty state, whatever the accounts. */
export function l1GenesisHash({ l1, parameters }: DevnetGenesis): Hash {
  return hashHeader(genesisHeader(l1, EMPTY_TRIE_ROOT, null, l1ForkRules(parameters.l1Fork)))
}

export interface DevnetChanges {
  /** Given when L1 is not the anvil of the genesis. */
  readonly l1Genesis?: BlockId
  /** Forks that come while the chain runs, unix seconds. */
  readonly laterForks?: ForkTimes
}

export function devnetRollupConfig(genesis: DevnetGenesis, { l1Genesis, laterForks }: DevnetChanges = {}): RollupConfig {
  return networkRollupConfig(genesis, l1Genesis ?? { hash: l1GenesisHash(genesis), number: 0 }, laterForks)
}

/** Content of rollup.json: op-node's names and nothing else. */
export function devnetRollupJson(genesis: DevnetGenesis, changes?: DevnetChanges): Record<string, unknown> {
  return rollupConfigToJson(devnetRollupConfig(genesis, changes))
}

/** Content of l1-chain.json: forks and blob schedule of the development L1. */
export function devnetL1ChainJson(parameters: DevnetParameters): Record<string, unknown> {
  return l1ChainConfigToJson(l1ConfigAtGenesis(parameters.l1ChainId, parameters.l1Fork))
}
