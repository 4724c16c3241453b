import type { EthFork } from '@keelson/chainspec'
import { toAddress } from '@keelson/primitives'
import type { NetworkParameters } from '../network-parameters.ts'
import { STAKING_PARAMETERS } from '../staking-parameters.ts'
import { DEV_ROLES } from './dev-accounts.ts'

export interface DevnetParameters extends NetworkParameters {
  readonly l1Fork: EthFork
  readonly l1BlockTimeSec: number
  readonly l1GasLimit: bigint
  readonly fundingWei: bigint
  readonly faucetFundingWei: bigint
}

const ETHER = 10n ** 18n

/** Clients expect chain ID 84532, which is also a public network's. L1's ID is in no public list, which prevents replays. */
export const DEFAULT_DEVNET_PARAMETERS: DevnetParameters = {
  fork: 'lagoon',
  l1Fork: 'prague',
  l1ChainId: 900_084n,
  l2ChainId: 84_532n,
  l1BlockTimeSec: 4,
  l2BlockTimeSec: 2,
  l1GasLimit: 30_000_000n,
  l2GasLimit: 30_000_000n,
  maxSequencerDriftSec: 600,
  sequencingWindowL1Blocks: 3600,
  channelTimeoutL1Blocks: 300,
  batchInbox: toAddress('0xff00000000000000000000000000000000084532'),
  baseFeeScalar: 1368n,
  blobBaseFeeScalar: 810_949n,
  minBaseFeeWei: 0n,
  submissionIntervalBlocks: 30,
  finalizationPeriodSec: 12,
  agentMinimumStakeWei: ETHER / 10n,
  agentUnstakeDelaySec: 600,
  taskClaimSec: 900,
  taskReviewSec: 300,
  taskArbitrationSec: 600,
  staking: STAKING_PARAMETERS.devnet,
  // 115 days at two tokens per block.
  stakingPoolWei: 10_000_000n * ETHER,
  fundingWei: 10_000n * ETHER,
  faucetFundingWei: 1_000_000n * ETHER,
  roles: {
    admin: DEV_ROLES.admin.address,
    batcher: DEV_ROLES.batcher.address,
    proposer: DEV_ROLES.proposer.address,
    sequencer: DEV_ROLES.sequencer.address,
  },
}
