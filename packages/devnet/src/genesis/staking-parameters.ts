/** Named sets for two-second blocks. */
import { encodeParameters } from '@keelson/contracts'

export interface StakingParameters {
  readonly epochBlocks: number
  /** Blocks after the start of an epoch in which an attestation is on time. */
  readonly graceBlocks: number
  readonly hourBlocks: number
  readonly dayBlocks: number
  /** Maximum days of silence that are penalized. */
  readonly maxDowntimeDays: number
  /** Blocks after the start of an epoch in which wrong attestations can be reported. */
  readonly evidenceBlocks: number
  readonly unbondingBlocks: number
  readonly seats: number
  readonly minimumStakeWei: bigint
  readonly rewardPerBlockWei: bigint
}

const TOKEN = 10n ** 18n
const BLOCK_TIME_SEC = 2
const BLOCKS_PER_HOUR = 3_600 / BLOCK_TIME_SEC
const BLOCKS_PER_DAY = 24 * BLOCKS_PER_HOUR

const TEST: StakingParameters = {
  epochBlocks: 150,
  graceBlocks: 10,
  hourBlocks: BLOCKS_PER_HOUR,
  dayBlocks: BLOCKS_PER_DAY,
  maxDowntimeDays: 30,
  // Below the 8191 block hashes that contracts can read.
  evidenceBlocks: 8_000,
  unbondingBlocks: BLOCKS_PER_DAY,
  seats: 100,
  minimumStakeWei: 1_000n * TOKEN,
  rewardPerBlockWei: 2n * TOKEN,
}

export const STAKING_PARAMETERS = {
  main: { ...TEST, unbondingBlocks: 7 * BLOCKS_PER_DAY, minimumStakeWei: 10_000n * TOKEN },
  test: TEST,
  /** Here an hour lasts one minute, a day three, unbonding five. */
  devnet: { ...TEST, epochBlocks: 15, hourBlocks: 30, dayBlocks: 90, evidenceBlocks: 90, unbondingBlocks: 150 },
} as const satisfies Record<string, StakingParameters>

/** Keeps the evidence window, which the number of served block hashes limits. */
export function withBlockTime(p: StakingParameters, blockTimeSec: number): StakingParameters {
  const blocks = (atTwoSeconds: number) => (atTwoSeconds * BLOCK_TIME_SEC) / blockTimeSec
  return {
    ...p,
    hourBlocks: blocks(p.hourBlocks),
    dayBlocks: blocks(p.dayBlocks),
    unbondingBlocks: blocks(p.unbondingBlocks),
  }
}

export function encodeStakingParameters(p: StakingParameters): Uint8Array {
  const words = [
    ...[p.epochBlocks, p.graceBlocks, p.hourBlocks, p.dayBlocks, p.maxDowntimeDays, p.evidenceBlocks, p.unbondingBlocks, p.seats].map(
      BigInt,
    ),
    ...[p.minimumStakeWei, p.rewardPerBlockWei],
  ]
  return encodeParameters(words.map(() => 'uint256').join(','), words)
}

export function stakingPeriodMistakes(p: StakingParameters): readonly (readonly [keyof StakingParameters, string])[] {
  const mistakes: (readonly [keyof StakingParameters, string])[] = []
  for (const name of ['hourBlocks', 'dayBlocks'] as const) {
    if (p[name] === 0 || p[name] % p.epochBlocks !== 0)
      mistakes.push([name, `expected a multiple of an epoch's ${p.epochBlocks} blocks, got ${p[name]}`])
  }
  const evidenceOver = p.evidenceBlocks + 2 * p.epochBlocks
  if (p.unbondingBlocks <= evidenceOver) {
    const why = `the ${p.evidenceBlocks} blocks for evidence and two epochs`
    mistakes.push(['unbondingBlocks', `expected more than ${evidenceOver}, ${why}, got ${p.unbondingBlocks}`])
  }
  return mistakes
}
