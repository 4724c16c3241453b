import type { Fork } from '@keelson/chainspec'
import type { Address } from '@keelson/primitives'
import type { StakingParameters } from './staking-parameters.ts'

export interface NetworkRoles {
  /** Owns the proxy admins and the SystemConfig, is guardian, challenger and arbitrator, and receives the fee vaults. */
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
  /** In millionths. */
  readonly baseFeeScalar: bigint
  readonly blobBaseFeeScalar: bigint
  readonly minBaseFeeWei: bigint
  readonly submissionIntervalBlocks: number
  /** Delay after a proposal before its withdrawals can be finalized. */
  readonly finalizationPeriodSec: number
  /** Stake that a claim of a task locks. */
  readonly agentMinimumStakeWei: bigint
  readonly agentUnstakeDelaySec: number
  /** Time for which a claim reserves a task. */
  readonly taskClaimSec: number
  readonly taskReviewSec: number
  readonly taskArbitrationSec: number
  readonly staking: StakingParameters
  readonly stakingPoolWei: bigint
  readonly roles: NetworkRoles
}
