/** Parameters of a network on any L1, except the time and L1 block of its start. */
import type { Fork } from '@keelson/chainspec'
import type { Address } from '@keelson/primitives'
import type { StakingParameters } from './staking-parameters.ts'

export interface NetworkRoles {
  /**
   * Owns the proxy admins and the SystemConfig, is guardian and challenger, rules on disputed tasks, and receives the fee vaults.
   */
  readonly admin: Address
  readonly batcher: Address
  readonly proposer: Address
  readonly sequencer: Address
}

export interface NetworkParameters {
  readonly fork: Fork
  readonly l1ChainId: bigint
  readonly l2ChainId: bigint
  readonly l2BlockTimeSec: number
  readonly l2GasLimit: bigint
  readonly maxSequencerDriftSec: number
  readonly sequencingWindowL1Blocks: number
  readonly channelTimeoutL1Blocks: number
  readonly batchInbox: Address
  /** Millionths. */
  readonly baseFeeScalar: bigint
  readonly blobBaseFeeScalar: bigint
  readonly minBaseFeeWei: bigint
  readonly submissionIntervalBlocks: number
  /** Seconds from a proposal to its withdrawals. */
  readonly finalizationPeriodSec: number
  /** Stake in wei that a claim of a task locks, and the unstaking delay in seconds. */
  readonly agentMinimumStakeWei: bigint
  readonly agentUnstakeDelaySec: number
  /** Seconds: exclusive time of a claim, dispute period, ruling period. */
  readonly taskClaimSec: number
  readonly taskReviewSec: number
  readonly taskArbitrationSec: number
  readonly staking: StakingParameters
  readonly stakingPoolWei: bigint
  readonly roles: NetworkRoles
}
