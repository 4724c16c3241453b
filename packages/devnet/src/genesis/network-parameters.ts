/** The parameters of a network on any L1: everything except the time and the L1 block of its start. */
import type { Fork } from '@keelson/chainspec'
import type { Address } from '@keelson/primitives'
import type { StakingParameters } from './staking-parameters.ts'

/** Accounts that run a network. */
export interface NetworkRoles {
  /** Owns the proxy admins and the SystemConfig, guards and challenges, rules on disputed tasks, receives the fee vaults. */
  readonly admin: Address
  readonly batcher: Address
  readonly proposer: Address
  /** Signs gossiped blocks (the SystemConfig's unsafe block signer). */
  readonly sequencer: Address
}

export interface NetworkParameters {
  /** OP fork in force from the first L2 block. */
  readonly fork: Fork
  readonly l1ChainId: bigint
  readonly l2ChainId: bigint
  readonly l2BlockTimeSec: number
  readonly l2GasLimit: bigint
  readonly maxSequencerDriftSec: number
  readonly sequencingWindowL1Blocks: number
  readonly channelTimeoutL1Blocks: number
  readonly batchInbox: Address
  /** Scalars of the L1 fee in millionths. */
  readonly baseFeeScalar: bigint
  readonly blobBaseFeeScalar: bigint
  readonly minBaseFeeWei: bigint
  /** L2 blocks between output proposals. */
  readonly submissionIntervalBlocks: number
  /** Seconds from a proposal to the withdrawals it allows. */
  readonly finalizationPeriodSec: number
  /** Stake in wei that an open claim of a task locks, and the delay in seconds between an unstake request and withdrawal. */
  readonly agentMinimumStakeWei: bigint
  readonly agentUnstakeDelaySec: number
  /** Periods in seconds: exclusive time of an agent's claim, dispute of a completed task, ruling on a disputed one. */
  readonly taskClaimSec: number
  readonly taskReviewSec: number
  readonly taskArbitrationSec: number
  readonly staking: StakingParameters
  /** Initial balance in wei of the pool that pays validators' rewards. */
  readonly stakingPoolWei: bigint
  readonly roles: NetworkRoles
}
