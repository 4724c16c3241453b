import type { Fork } from '@keelson/chainspec'
import {
  DEFAULT_DEVNET_PARAMETERS,
  type NetworkParameters,
  type NetworkRoles,
  STAKING_PARAMETERS,
  type StakingParameters,
  withBlockTime,
} from '@keelson/devnet/genesis'
import { type Address, toAddress } from '@keelson/primitives'

export const PRESETS = ['devnet', 'test', 'main'] as const
export type Preset = (typeof PRESETS)[number]

/** 84532 is also Base Sepolia's chain ID. A main network has no default. */
export const DEFAULT_CHAIN_IDS: Readonly<Record<Preset, bigint | null>> = {
  devnet: DEFAULT_DEVNET_PARAMETERS.l2ChainId,
  test: DEFAULT_DEVNET_PARAMETERS.l2ChainId,
  main: null,
}

const HOUR_SEC = 3_600
const DAY_SEC = 24 * HOUR_SEC

type Periods = Pick<
  NetworkParameters,
  'submissionIntervalBlocks' | 'finalizationPeriodSec' | 'agentUnstakeDelaySec' | 'taskClaimSec' | 'taskReviewSec' | 'taskArbitrationSec'
>

const { submissionIntervalBlocks, finalizationPeriodSec, agentUnstakeDelaySec, taskClaimSec, taskReviewSec, taskArbitrationSec } =
  DEFAULT_DEVNET_PARAMETERS

const PERIODS: Readonly<Record<Preset, Periods>> = {
  devnet: {
    submissionIntervalBlocks,
    finalizationPeriodSec,
    agentUnstakeDelaySec,
    taskClaimSec,
    taskReviewSec,
    taskArbitrationSec,
  },
  test: {
    submissionIntervalBlocks: 120,
    finalizationPeriodSec: HOUR_SEC,
    agentUnstakeDelaySec: DAY_SEC,
    taskClaimSec: HOUR_SEC,
    taskReviewSec: DAY_SEC,
    taskArbitrationSec: 3 * DAY_SEC,
  },
  main: {
    submissionIntervalBlocks: 1_800,
    finalizationPeriodSec: 7 * DAY_SEC,
    agentUnstakeDelaySec: 7 * DAY_SEC,
    taskClaimSec: DAY_SEC,
    taskReviewSec: 3 * DAY_SEC,
    taskArbitrationSec: 7 * DAY_SEC,
  },
}

export function presetStaking(preset: Preset, blockTimeSec: number): StakingParameters {
  const staking = STAKING_PARAMETERS[preset]
  return preset === 'devnet' ? staking : withBlockTime(staking, blockTimeSec)
}

/**
 * On a public L1, this release follows no chain that begins with Lagoon, because its upgrade transactions are not confirmed
 * (`unconfirmedBundle`). A development network with an L1 of its own begins with it.
 */
const FORK_ON_EXISTING_L1: Fork = 'karst'

export interface ChosenIdentity {
  readonly l1ChainId: bigint
  readonly l2ChainId: bigint
  readonly l2BlockTimeSec?: number
  readonly roles: NetworkRoles
}

/** Pool and balances are zero, because the portal on an existing L1 holds nothing to back them. */
export function presetParameters(preset: Preset, chosen: ChosenIdentity): NetworkParameters {
  const { l1ChainId, l2ChainId, roles, l2BlockTimeSec = DEFAULT_DEVNET_PARAMETERS.l2BlockTimeSec } = chosen
  const { l2GasLimit, maxSequencerDriftSec, sequencingWindowL1Blocks, channelTimeoutL1Blocks } = DEFAULT_DEVNET_PARAMETERS
  const { baseFeeScalar, blobBaseFeeScalar, minBaseFeeWei, agentMinimumStakeWei } = DEFAULT_DEVNET_PARAMETERS
  return {
    fork: FORK_ON_EXISTING_L1,
    l1ChainId,
    l2ChainId,
    l2BlockTimeSec,
    l2GasLimit,
    maxSequencerDriftSec,
    sequencingWindowL1Blocks,
    channelTimeoutL1Blocks,
    batchInbox: batchInboxOf(l2ChainId),
    baseFeeScalar,
    blobBaseFeeScalar,
    minBaseFeeWei,
    agentMinimumStakeWei,
    ...PERIODS[preset],
    staking: presetStaking(preset, l2BlockTimeSec),
    stakingPoolWei: 0n,
    roles,
  }
}

const INBOX_PREFIX = '0xff'

/** The address is 0xff, zeros, and the chain ID in decimal. */
export function batchInboxOf(l2ChainId: bigint): Address {
  return toAddress(`${INBOX_PREFIX}${String(l2ChainId).padStart(42 - INBOX_PREFIX.length, '0')}`)
}
