/**
 * A devnet genesis as the files a network is started from: rollup.json and l1-chain.json, and the
 * hashes of both first blocks. L1's is known before L1 runs, because anvil's block 0 says nothing of its state.
 */
import {
  createForkSchedule,
  DEFAULT_CHAIN_CONSTANTS,
  type ForkTimes,
  forksAtGenesis,
  genesisHeader,
  l1ChainConfigToJson,
  l1ConfigAtGenesis,
  l1ForkRules,
  type RollupConfig,
  rollupConfigToJson,
} from '@keelson/chainspec'
import {
  type BlockId,
  bigintToBytes,
  concatBytes,
  EMPTY_TRIE_ROOT,
  type Hash,
  type Header,
  hashHeader,
  l2Time,
  type SystemConfig,
} from '@keelson/primitives'
import type { DevnetGenesis } from './build-devnet-genesis.ts'
import { DEV_ROLES } from './dev-accounts.ts'
import type { DevnetParameters } from './devnet-parameters.ts'
import { BEDROCK_OVERHEAD, BEDROCK_SCALAR } from './l1-deployment.ts'

/** Hash of anvil's block 0: its state root is that of the empty state, whatever the accounts. */
export function l1GenesisHash({ l1, parameters }: DevnetGenesis): Hash {
  return hashHeader(genesisHeader(l1, EMPTY_TRIE_ROOT, null, l1ForkRules(parameters.l1Fork)))
}

export function l2GenesisHeader({ l2, l2StateRoot, messagePasserStorageRoot, parameters }: DevnetGenesis): Header {
  const rules = devnetForks(parameters).blockRules(l2Time(l2.timestampSec))
  return genesisHeader({ ...l2, accounts: [] }, l2StateRoot, messagePasserStorageRoot, rules)
}

export function l2GenesisHash(genesis: DevnetGenesis): Hash {
  return hashHeader(l2GenesisHeader(genesis))
}

/** `laterForks` in unix seconds, after those of the genesis. */
function devnetForks(parameters: DevnetParameters, laterForks: ForkTimes = {}) {
  return createForkSchedule({
    times: { ...forksAtGenesis(parameters.fork), ...laterForks },
    constants: { channelTimeoutL1Blocks: parameters.channelTimeoutL1Blocks },
  })
}

/** What the SystemConfig contract holds at L1's block 0. */
export function genesisSystemConfig(parameters: DevnetParameters): SystemConfig {
  const rules = devnetForks(parameters).blockRules(l2Time(0))
  const bedrock = rules.l1InfoFormat === 'bedrock'
  return {
    batcherAddress: DEV_ROLES.batcher.address,
    overhead: bigintToBytes(bedrock ? BEDROCK_OVERHEAD : 0n, 32),
    scalar: bedrock ? bigintToBytes(BEDROCK_SCALAR, 32) : ecotoneScalar(parameters),
    gasLimit: parameters.l2GasLimit,
    eip1559Params: new Uint8Array(8),
    operatorFeeScalar: 0,
    operatorFeeConstant: 0n,
    minBaseFeeWei: parameters.minBaseFeeWei,
    daFootprintGasScalar: 0,
  }
}

/** Version 1: both scalars in one word. specs: protocol/ecotone/l1-attributes.md */
function ecotoneScalar({ baseFeeScalar, blobBaseFeeScalar }: DevnetParameters): Uint8Array {
  return concatBytes(Uint8Array.of(1), new Uint8Array(23), bigintToBytes(blobBaseFeeScalar, 4), bigintToBytes(baseFeeScalar, 4))
}

export interface DevnetChanges {
  /** Given when L1 is not the anvil of the genesis. */
  readonly l1Genesis?: BlockId
  /** Forks that come while the chain runs, unix seconds. */
  readonly laterForks?: ForkTimes
}

/** The rollup's configuration. */
export function devnetRollupConfig(genesis: DevnetGenesis, { l1Genesis, laterForks }: DevnetChanges = {}): RollupConfig {
  const { parameters, addresses } = genesis
  const { baseFee, baseFeeCanyon } = DEFAULT_CHAIN_CONSTANTS
  return {
    l1ChainId: parameters.l1ChainId,
    l2ChainId: parameters.l2ChainId,
    blockTimeSec: parameters.l2BlockTimeSec,
    maxSequencerDriftSec: parameters.maxSequencerDriftSec,
    sequencingWindowL1Blocks: parameters.sequencingWindowL1Blocks,
    channelTimeoutL1Blocks: parameters.channelTimeoutL1Blocks,
    batchInbox: parameters.batchInbox,
    depositContract: addresses.OptimismPortal,
    systemConfigContract: addresses.SystemConfig,
    genesis: {
      l1: l1Genesis ?? { hash: l1GenesisHash(genesis), number: 0 },
      l2: { hash: l2GenesisHash(genesis), number: 0 },
      l2TimestampSec: genesis.l2.timestampSec,
      systemConfig: genesisSystemConfig(parameters),
    },
    forks: devnetForks(parameters, laterForks),
    eip1559: {
      elasticity: Number(baseFee.elasticity),
      denominator: Number(baseFee.denominator),
      denominatorCanyon: Number(baseFeeCanyon.denominator),
    },
    pectraBlobScheduleTimeSec: null,
    keepKarstUpgradeGas: false,
    protocolVersionsContract: null,
  }
}

/** Content of rollup.json: op-node's names and nothing else. */
export function devnetRollupJson(genesis: DevnetGenesis, changes?: DevnetChanges): Record<string, unknown> {
  return rollupConfigToJson(devnetRollupConfig(genesis, changes))
}

/** Content of l1-chain.json: forks and blob schedule of the development L1. */
export function devnetL1ChainJson(parameters: DevnetParameters): Record<string, unknown> {
  return l1ChainConfigToJson(l1ConfigAtGenesis(parameters.l1ChainId, parameters.l1Fork))
}
