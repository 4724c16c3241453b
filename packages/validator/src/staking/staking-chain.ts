import type {
  SignedAttestedEvent,
  SlashedEvent,
  StakingAccounts,
  ValidatorDuty,
  ValidatorRecord,
  WeightChangedEvent,
} from '@keelson/contracts'
import type { Address, Hash } from '@keelson/primitives'

/** Immutable parameters of the contract. */
export interface StakingTerms {
  readonly epochBlocks: number
  readonly graceBlocks: number
  readonly dayBlocks: number
  readonly maxDowntimeDays: number
  readonly evidenceBlocks: number
  readonly unbondingBlocks: number
  readonly seats: number
  readonly minimumStakeWei: bigint
  /** Minimum stake in wei for staying in the active set after slashes. */
  readonly retentionStakeWei: bigint
  readonly rewardPerBlockWei: bigint
}

export interface ChainHead {
  readonly number: number
  readonly hash: Hash
  readonly timestampSec: number
}

export interface KeyPosition {
  readonly key: Address
  /** Null for a key that was never registered. */
  readonly record: ValidatorRecord | null
  readonly duty: ValidatorDuty
  /** Weight in the epoch of the block that was read; 0 when inactive. */
  readonly weightWei: bigint
  readonly nextWeightWei: bigint
  readonly silentEpochs: number
}

export interface StakingPositions {
  /** Zero until the first registration. */
  readonly anchor: Hash
  /** Missing amount of the reward pool for the epoch; 0 when it has enough. */
  readonly shortfallWei: bigint
  readonly accounts: StakingAccounts
  readonly totalWeightWei: bigint
  readonly keys: readonly KeyPosition[]
}

export type Seen<E> = E & { readonly blockNumber: number }

export interface StakingEvents {
  readonly attested: readonly Seen<SignedAttestedEvent>[]
  readonly slashed: readonly Seen<SlashedEvent>[]
  readonly weights: readonly Seen<WeightChangedEvent>[]
}

/** The Staking contract as a validator needs it. Everything read of one block is read by its number, so that the answers are consistent. */
export interface StakingChain {
  readonly contract: Address
  chainId(): Promise<bigint>
  head(): Promise<ChainHead>
  /** Null when this node has no block of that number. */
  blockHash(number: number): Promise<Hash | null>
  /** Number of the newest block that this node considers final; null when none is. */
  finalizedNumber(): Promise<number | null>
  genesisTimeSec(): Promise<number>
  /** Throws ValidatorError `consensus/no-staking-contract`. */
  terms(): Promise<StakingTerms>
  positions(keys: readonly Address[], block: number, epoch: number): Promise<StakingPositions>
  /** Returns the active set of the next epoch, if nothing changes, in descending order of stake. */
  ranking(block: number): Promise<readonly ValidatorStake[]>
  /** Returns the events of these keys in blocks `from` to `to`, in chain order. */
  events(keys: readonly Address[], from: number, to: number): Promise<StakingEvents>
  /** First epoch with an attestation in blocks `from` to `to`; null for none. Stops reading at the first attestation. */
  firstAttestedEpoch(from: number, to: number): Promise<number | null>
}

export interface ValidatorStake {
  readonly key: Address
  readonly id: number
  readonly stakeWei: bigint
}
