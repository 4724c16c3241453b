import { type Address, type Hash, toHash } from '@keelson/primitives'
import { decodeParameters } from '../abi/abi-decode.ts'
import { encodeCall } from '../abi/abi-encode.ts'

/** Views that return one word (`decodeUint`). */
export const STAKING_WORDS = {
  currentEpoch: encodeCall('currentEpoch()'),
  epochBlocks: encodeCall('epochBlocks()'),
  graceBlocks: encodeCall('graceBlocks()'),
  hourBlocks: encodeCall('hourBlocks()'),
  dayBlocks: encodeCall('dayBlocks()'),
  maxDowntimeDays: encodeCall('maxDowntimeDays()'),
  evidenceBlocks: encodeCall('evidenceBlocks()'),
  unbondingBlocks: encodeCall('unbondingBlocks()'),
  seats: encodeCall('seats()'),
  minimumStake: encodeCall('minimumStake()'),
  retentionStake: encodeCall('retentionStake()'),
  rewardPerBlock: encodeCall('rewardPerBlock()'),
  rewardsReleased: encodeCall('rewardsReleased()'),
  rewardsMissed: encodeCall('rewardsMissed()'),
  shortfall: encodeCall('shortfall()'),
  validatorCount: encodeCall('validatorCount()'),
} as const

/** The salt of attestations; zero until the first registration. */
export const STAKING_ANCHOR = encodeCall('anchor()')
export const STAKING_NEXT_ACTIVE_SET = encodeCall('nextActiveSet()')
export const STAKING_ACCOUNTS = encodeCall('accounts()')

export function encodeGetValidator(signingKey: Address): Uint8Array {
  return encodeCall('getValidator(address)', [signingKey])
}

export function encodeGetDuty(signingKey: Address): Uint8Array {
  return encodeCall('getDuty(address)', [signingKey])
}

/** The view returns 0 for an inactive validator. */
export function encodeWeightAt(signingKey: Address, epoch: number): Uint8Array {
  return encodeCall('weightAt(address,uint256)', [signingKey, BigInt(epoch)])
}

export function encodeTotalWeightAt(epoch: number): Uint8Array {
  return encodeCall('totalWeightAt(uint256)', [BigInt(epoch)])
}

export function encodeSilentEpochs(signingKey: Address): Uint8Array {
  return encodeCall('silentEpochs(address)', [signingKey])
}

/** The view returns the zero address for none. */
export function encodeValidatorOfBlockKey(blockKey: Address): Uint8Array {
  return encodeCall('validatorOfBlockKey(address)', [blockKey])
}

/** Ids start at 1. */
export function encodeValidatorOf(id: number): Uint8Array {
  return encodeCall('validatorOf(uint64)', [BigInt(id)])
}

export function encodeLiveEpochsBefore(epoch: number): Uint8Array {
  return encodeCall('liveEpochsBefore(uint256)', [BigInt(epoch)])
}

export function encodeGetEpoch(epoch: number): Uint8Array {
  return encodeCall('getEpoch(uint256)', [BigInt(epoch)])
}

export interface EpochRecord {
  readonly attestedWeightWei: bigint
  readonly attesters: number
}

export function decodeEpoch(data: Uint8Array): EpochRecord {
  const [attestedWeightWei, , , attesters] = decodeParameters('uint128,uint128,uint128,uint32,uint32', data) as readonly bigint[]
  return { attestedWeightWei: attestedWeightWei as bigint, attesters: Number(attesters) }
}

export interface ValidatorRecord {
  readonly owner: Address
  readonly id: number
  readonly slashed: boolean
  readonly ejected: boolean
  readonly payout: Address
  /** Block from which unbonded stake is available. */
  readonly availableAt: number
  /** Offences without a final penalty. */
  readonly openOffences: number
  readonly blockKey: Address
  readonly stakeWei: bigint
  readonly unbondingWei: bigint
  /** Rewards as of the last settlement. */
  readonly rewardsWei: bigint
}

export function decodeValidator(data: Uint8Array): ValidatorRecord {
  const [owner, id, slashed, ejected, payout, availableAt, openOffences, blockKey, stakeWei, unbondingWei, rewardsWei] = decodeParameters(
    'address,uint64,bool,bool,address,uint64,uint32,address,uint128,uint128,uint128,uint128',
    data,
  ) as [Address, bigint, boolean, boolean, Address, bigint, bigint, Address, bigint, bigint, bigint]
  return {
    owner,
    id: Number(id),
    slashed,
    ejected,
    payout,
    availableAt: Number(availableAt),
    openOffences: Number(openOffences),
    blockKey,
    stakeWei,
    unbondingWei,
    rewardsWei,
  }
}

/** All numbers are epochs. */
export interface ValidatorDuty {
  readonly silentFrom: number
  readonly activeUntil: number
  /** Epoch of the last attestation that counted. */
  readonly lastEpoch: number
  readonly lateFrom: number
  readonly silentBefore: number
  readonly daysPaid: number
}

export function decodeDuty(data: Uint8Array): ValidatorDuty {
  const [silentFrom, activeUntil, lastEpoch, lateFrom, silentBefore, daysPaid] = (
    decodeParameters('uint48,uint48,uint48,uint48,uint32,uint32', data) as readonly bigint[]
  ).map(Number) as [number, number, number, number, number, number]
  return { silentFrom, activeUntil, lastEpoch, lateFrom, silentBefore, daysPaid }
}

export interface StakingAccounts {
  readonly stakesWei: bigint
  readonly unbondingWei: bigint
  readonly rewardsWei: bigint
  readonly poolWei: bigint
  readonly slashedWei: bigint
}

export function decodeStakingAccounts(data: Uint8Array): StakingAccounts {
  const [stakesWei, unbondingWei, rewardsWei, poolWei, slashedWei] = decodeParameters('uint256,uint256,uint256,uint256,uint256', data) as [
    bigint,
    bigint,
    bigint,
    bigint,
    bigint,
  ]
  return { stakesWei, unbondingWei, rewardsWei, poolWei, slashedWei }
}

export function decodeActiveSet(data: Uint8Array): readonly Address[] {
  return decodeParameters('address[]', data)[0] as readonly Address[]
}

export function decodeAnchor(data: Uint8Array): Hash {
  return toHash(decodeParameters('bytes32', data)[0] as Uint8Array)
}
