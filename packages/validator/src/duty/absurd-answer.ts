/**
 * Detects numbers that are far too high: such a number would raise a key's watermark or be signed for, and block the key for
 * good.
 */
import type { ChainHead, StakingPositions, StakingTerms } from '../staking/staking-chain.ts'
import type { EpochPlace } from './decide-duty.ts'

export interface ChainTime {
  readonly nowSec: number
  readonly genesisTimeSec: number
  readonly blockTimeSec: number
  /** How far a block may be ahead of the clock. */
  readonly toleranceSec: number
}

export function whyHeadIsAbsurd({ number, timestampSec }: ChainHead, terms: StakingTerms, time: ChainTime): string | null {
  const { nowSec, genesisTimeSec, blockTimeSec, toleranceSec } = time
  const aheadSec = timestampSec - nowSec
  if (aheadSec > toleranceSec)
    return `the newest block, ${number}, is ${aheadSec} s ahead of this machine's clock: set the clock, or mistrust the node`
  const most = Math.floor((timestampSec - genesisTimeSec) / blockTimeSec)
  if (number > most) {
    return `the execution client's head is block ${number}, and a chain that began at ${genesisTimeSec} with a block every ${blockTimeSec} s has ${most} at most by ${timestampSec}: mistrust the node`
  }
  const { epochBlocks, graceBlocks } = terms
  if (epochBlocks < 1 || graceBlocks >= epochBlocks) {
    return `the contract says an epoch has ${epochBlocks} blocks and ${graceBlocks} of grace: mistrust the node`
  }
  return null
}

export function whyPositionsAreAbsurd({ keys }: StakingPositions, { epoch }: EpochPlace): string | null {
  const found = keys.find(({ duty }) => duty.lastEpoch > epoch)
  if (found === undefined) return null
  return `the execution client says key ${found.key} has attested in epoch ${found.duty.lastEpoch}, and the head is in epoch ${epoch}: mistrust the node`
}
