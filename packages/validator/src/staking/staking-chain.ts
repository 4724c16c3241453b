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
  /** Minimum stake for staying in the active set after slashes. */
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
  readonly record: ValidatorRecord | null
  readonly duty: ValidatorDuty
  readonly weightWei: bigint
  readonly nextWeightWei: bigint
  readonly silentEpochs: number
}

export interface StakingPositions {
  /** Zero until the first registration. */
  readonly anchor: Hash
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

/** Reads about the same block pass its number, so that the answers are consistent. */
export interface StakingChain {
  readonly contract: Address
  chainId(): Promise<bigint>
  head(): Promise<ChainHead>
  blockHash(number: number): Promise<Hash | null>
  /** Newest block that this node considers final. */
  finalizedNumber(): Promise<number | null>
  genesisTimeSec(): Promise<number>
  /** Throws ValidatorError `consensus/no-staking-contract`. */
  terms(): Promise<StakingTerms>
  positions(keys: readonly Address[], block: number, epoch: number): Promise<StakingPositions>
  /** The next epoch's active set, if nothing changes, by descending stake. */
  ranking(block: number): Promise<readonly ValidatorStake[]>
  events(keys: readonly Address[], from: number, to: number): Promise<StakingEvents>
  /** First epoch with an attestation in blocks `from` to `to`. */
  firstAttestedEpoch(from: number, to: number): Promise<number | null>
}

export interface ValidatorStake {
  readonly key: Address
  readonly id: number
  readonly stakeWei: bigint
}
