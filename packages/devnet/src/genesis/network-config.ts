import {
  createForkSchedule,
  DEFAULT_CHAIN_CONSTANTS,
  type ForkSchedule,
  type ForkTimes,
  forksAtGenesis,
  genesisHeader,
  type RollupConfig,
} from '@keelson/chainspec'
import {
  type BlockId,
  bigintToBytes,
  concatBytes,
  type Hash,
  type Header,
  hashHeader,
  l2Time,
  type SystemConfig,
} from '@keelson/primitives'
import type { GenesisHead } from './first-block.ts'
import { BEDROCK_OVERHEAD, BEDROCK_SCALAR, type L1Addresses } from './l1-deployment.ts'
import type { NetworkParameters } from './network-parameters.ts'

export interface FirstL2Block {
  readonly l2: GenesisHead
  readonly l2StateRoot: Hash
  readonly messagePasserStorageRoot: Hash
  readonly parameters: NetworkParameters
}

export function l2GenesisHeader({ l2, l2StateRoot, messagePasserStorageRoot, parameters }: FirstL2Block): Header {
  const rules = networkForks(parameters).blockRules(l2Time(l2.timestampSec))
  return genesisHeader({ ...l2, accounts: [] }, l2StateRoot, messagePasserStorageRoot, rules)
}

export function l2GenesisHash(genesis: FirstL2Block): Hash {
  return hashHeader(l2GenesisHeader(genesis))
}

function networkForks(parameters: NetworkParameters, laterForks: ForkTimes = {}): ForkSchedule {
  return createForkSchedule({
    times: { ...forksAtGenesis(parameters.fork), ...laterForks },
    constants: { channelTimeoutL1Blocks: parameters.channelTimeoutL1Blocks },
  })
}

export function genesisSystemConfig(parameters: NetworkParameters): SystemConfig {
  const rules = networkForks(parameters).blockRules(l2Time(0))
  const bedrock = rules.l1InfoFormat === 'bedrock'
  return {
    batcherAddress: parameters.roles.batcher,
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

/** Scalar encoding version 1. specs: protocol/ecotone/l1-attributes.md */
function ecotoneScalar({ baseFeeScalar, blobBaseFeeScalar }: NetworkParameters): Uint8Array {
  return concatBytes(Uint8Array.of(1), new Uint8Array(23), bigintToBytes(blobBaseFeeScalar, 4), bigintToBytes(baseFeeScalar, 4))
}

export interface NetworkGenesis extends FirstL2Block {
  readonly addresses: Pick<L1Addresses, 'OptimismPortal' | 'SystemConfig'>
}

/** Derivation starts at L1 block `l1`. `laterForks` are Unix seconds. */
export function networkRollupConfig(genesis: NetworkGenesis, l1: BlockId, laterForks: ForkTimes = {}): RollupConfig {
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
      l1,
      l2: { hash: l2GenesisHash(genesis), number: 0 },
      l2TimestampSec: genesis.l2.timestampSec,
      systemConfig: genesisSystemConfig(parameters),
    },
    forks: networkForks(parameters, laterForks),
    firstUnsupportedFork: null,
    unsupportedForks: [],
    eip1559: {
      elasticity: Number(baseFee.elasticity),
      denominator: Number(baseFee.denominator),
      denominatorCanyon: Number(baseFeeCanyon.denominator),
    },
    dependencySet: [parameters.l2ChainId],
    pectraBlobScheduleTimeSec: null,
    keepKarstUpgradeGas: false,
    protocolVersionsContract: null,
  }
}
