/** What the development network is made of; everything that does not depend on when it starts. */
import type { EthFork, Fork } from '@keelson/chainspec'
import { type Address, toAddress } from '@keelson/primitives'
import { STAKING_PARAMETERS, type StakingParameters } from './staking-parameters.ts'

export interface DevnetParameters {
  /** OP fork in force from the first L2 block. */
  readonly fork: Fork
  readonly l1Fork: EthFork
  readonly l1ChainId: bigint
  readonly l2ChainId: bigint
  readonly l1BlockTimeSec: number
  readonly l2BlockTimeSec: number
  readonly l1GasLimit: bigint
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
  /** What the pool of validators' rewards begins with. */
  readonly stakingPoolWei: bigint
  /** Balance of each of the ten accounts on both chains, of the roles on L1, and of validator and admin on L2. */
  readonly fundingWei: bigint
  /** Balance of the faucet on L2. */
  readonly faucetFundingWei: bigint
}

const ETHER = 10n ** 18n

/**
 * 84532 is what the interface asks for and also the id of a public network; the parent chain has an id of
 * its own, which no public list of chains holds, so that its transactions cannot be replayed.
 */
export const DEFAULT_DEVNET_PARAMETERS: DevnetParameters = {
  fork: 'jovian',
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
  // 115 days of two tokens a block
  stakingPoolWei: 10_000_000n * ETHER,
  fundingWei: 10_000n * ETHER,
  faucetFundingWei: 1_000_000n * ETHER,
}

/** Wei and ids as decimal text, since JSON numbers are too short. */
export interface ParametersJson {
  readonly [name: string]: string | number | ParametersJson
}

const TEXT_PARAMETERS: ReadonlySet<string> = new Set<keyof DevnetParameters>(['fork', 'l1Fork', 'batchInbox'])

export function devnetParametersToJson(parameters: object): ParametersJson {
  const entries = Object.entries(parameters).map(([name, value]) => {
    if (typeof value === 'bigint') return [name, String(value)]
    return [name, typeof value === 'object' ? devnetParametersToJson(value) : value]
  })
  return Object.fromEntries(entries)
}

/** What devnetParametersToJson gave; the content is not judged. */
export function devnetParametersFromJson(json: ParametersJson): DevnetParameters {
  const decode = (of: ParametersJson): object =>
    Object.fromEntries(
      Object.entries(of).map(([name, value]) => {
        if (typeof value === 'object') return [name, decode(value)]
        return [name, typeof value === 'string' && !TEXT_PARAMETERS.has(name) ? BigInt(value) : value]
      }),
    )
  return decode(json) as DevnetParameters
}
