/** The keys come from the programs' sources. */
import type { Fork } from '@keelson/chainspec'

export const EXPORT_TARGETS = ['op-node-2024-10', 'op-geth-2024-10', 'kona', 'current'] as const
export type ExportTargetName = (typeof EXPORT_TARGETS)[number]

export type NetworkFileName = 'rollup.json' | 'genesis.json' | 'l1-chain.json'

export interface ExportTarget {
  readonly program: string
  readonly newestFork: Fork
  readonly files: readonly NetworkFileName[]
  /** Rejected keys that do not affect the chain. */
  readonly needlessRollupKeys: readonly string[]
  /** Rejected keys that affect the chain. */
  readonly unknownRollupKeys: readonly string[]
  readonly refusesEqualChainIds: boolean
  /** Keys that the program reads from genesis.json's `config`; null for all. */
  readonly genesisConfigKeys: ReadonlySet<string> | null
  readonly flags: readonly string[]
  /** Flag for L1 forks that the program does not know. */
  readonly newerL1: { readonly newestKey: string; readonly flag: string; readonly why: string } | null
}

const GETH_2024_10_CONFIG_KEYS = [
  ...['chainId', 'homesteadBlock', 'daoForkBlock', 'daoForkSupport', 'eip150Block', 'eip155Block', 'eip158Block', 'byzantiumBlock'],
  ...['constantinopleBlock', 'petersburgBlock', 'istanbulBlock', 'muirGlacierBlock', 'berlinBlock', 'londonBlock', 'arrowGlacierBlock'],
  ...['grayGlacierBlock', 'mergeNetsplitBlock', 'shanghaiTime', 'cancunTime', 'bedrockBlock', 'regolithTime', 'canyonTime'],
  ...['ecotoneTime', 'fjordTime', 'graniteTime', 'holoceneTime', 'terminalTotalDifficulty', 'terminalTotalDifficultyPassed', 'optimism'],
]

export const TARGETS: Readonly<Record<ExportTargetName, ExportTarget>> = {
  'op-node-2024-10': {
    program: 'op-node of October 2024',
    newestFork: 'holocene',
    files: ['rollup.json'],
    // Base fee constants, which only the execution client needs.
    needlessRollupKeys: ['chain_op_config'],
    unknownRollupKeys: ['pectra_blob_schedule_time', 'keep_karst_upgrade_gas'],
    refusesEqualChainIds: true,
    genesisConfigKeys: null,
    flags: ['--rollup.config rollup.json'],
    newerL1: {
      newestKey: 'cancunTime',
      flag: '--l1.trustrpc',
      why: 'it does not know requestsHash in L1 headers and would find every block hash wrong',
    },
  },
  'op-geth-2024-10': {
    program: 'op-geth of October 2024',
    newestFork: 'holocene',
    files: ['genesis.json'],
    needlessRollupKeys: [],
    unknownRollupKeys: [],
    refusesEqualChainIds: false,
    genesisConfigKeys: new Set(GETH_2024_10_CONFIG_KEYS),
    flags: ['--rollup.superchain-upgrades=false, or it replaces the configuration by that of a public chain with the same id'],
    newerL1: null,
  },
  kona: {
    program: 'kona-node',
    newestFork: 'jovian',
    files: ['rollup.json', 'l1-chain.json'],
    needlessRollupKeys: [],
    unknownRollupKeys: ['keep_karst_upgrade_gas'],
    refusesEqualChainIds: false,
    genesisConfigKeys: null,
    flags: ['--l2-config-file rollup.json', '--l1-config-file l1-chain.json, since it knows public L1 chains only'],
    newerL1: null,
  },
  current: {
    program: 'the current op-node',
    // op-node v1.21.0
    newestFork: 'lagoon',
    files: ['rollup.json', 'genesis.json', 'l1-chain.json'],
    needlessRollupKeys: [],
    unknownRollupKeys: [],
    refusesEqualChainIds: true,
    genesisConfigKeys: null,
    flags: [
      '--rollup.config rollup.json and --rollup.l1-chain-config l1-chain.json for op-node',
      '--rollup.superchain-upgrades=false for op-geth',
    ],
    newerL1: null,
  },
}
