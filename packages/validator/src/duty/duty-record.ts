import type { Address, Logger } from '@keelson/primitives'
import { asCalled } from '@keelson/runtime'
import { daysText, POOL_LOW_DAYS, poolDaysLeft } from '../staking/reward-pool.ts'
import type { StakingEvents, StakingPositions, StakingTerms } from '../staking/staking-chain.ts'
import type { EpochPlace } from './decide-duty.ts'
import type { DutyMetrics } from './duty-metrics.ts'

export interface DutyRecord {
  look(seen: {
    readonly place: EpochPlace
    readonly positions: StakingPositions
    readonly events: StakingEvents
    readonly terms: StakingTerms
    readonly firstEpoch: number
  }): void
}

export interface DutyRecordDependencies {
  readonly metrics: DutyMetrics
  readonly log: Logger
  readonly blockTimeSec: number
}

export function createDutyRecord({ metrics, log, blockTimeSec }: DutyRecordDependencies): DutyRecord {
  const counted = new Map<Address, number>()
  let watched: { readonly epoch: number; readonly due: readonly Address[] } | null = null
  let poolShort = false
  let poolLow = false

  return {
    look({ place, positions, events, terms, firstEpoch }) {
      for (const { validator, epoch, lateBlocks } of events.attested) {
        // Epochs before the start are not counted: this process did not attest then.
        if (epoch <= (counted.get(validator) ?? firstEpoch - 1)) continue
        counted.set(validator, epoch)
        metrics.attested(validator, epoch, lateBlocks, terms.graceBlocks)
        if (lateBlocks > terms.graceBlocks) log.warn('attested late', { key: validator, epoch, lateBlocks, graceBlocks: terms.graceBlocks })
      }
      if (watched !== null && watched.epoch < place.epoch) {
        for (const { key, duty } of positions.keys) {
          if (!watched.due.includes(key) || duty.lastEpoch >= watched.epoch) continue
          metrics.missed(key)
          log.warn('missed the attestation of an epoch', { key, epoch: watched.epoch })
        }
      }
      const due = positions.keys.filter(({ weightWei }) => weightWei > 0n && place.epoch >= firstEpoch).map(({ key }) => key)
      watched = { epoch: place.epoch, due }
      tellOfPool(positions, terms)
    },
  }

  function tellOfPool({ shortfallWei, accounts: { poolWei } }: StakingPositions, terms: StakingTerms): void {
    const short = shortfallWei > 0n
    const daysLeft = poolDaysLeft(poolWei, terms, blockTimeSec)
    const low = !short && daysLeft < POOL_LOW_DAYS
    if (short && !poolShort) log.warn(`the reward pool cannot pay an epoch: ${asCalled('validator fund-pool')} fills it`, { shortfallWei })
    if (!short && poolShort) log.info('the reward pool can pay an epoch again')
    if (low && !poolLow) log.warn(`the reward pool lasts ${daysText(daysLeft)}: ${asCalled('validator fund-pool')} fills it`, { poolWei })
    poolShort = short
    poolLow = low
  }
}
