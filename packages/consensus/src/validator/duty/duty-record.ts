/** What became of each duty, once the chain shows it: in time, late or missed. Said once, and counted. */
import type { Address, Logger } from '@keelson/primitives'
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

export function createDutyRecord({ metrics, log }: { readonly metrics: DutyMetrics; readonly log: Logger }): DutyRecord {
  /** Newest epoch that was counted as attested, of each key. */
  const counted = new Map<Address, number>()
  /** Epoch of the last look, and which keys were to attest in it. */
  let watched: { readonly epoch: number; readonly due: readonly Address[] } | null = null
  let poolShort = false

  return {
    look({ place, positions, events, terms, firstEpoch }) {
      for (const { validator, epoch, lateBlocks } of events.attested) {
        // what was attested before this process began is not of its making
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
      const short = positions.shortfallWei > 0n
      if (short !== poolShort) {
        if (short) log.warn('the reward pool cannot pay an epoch: anyone can fund it', { shortfallWei: positions.shortfallWei })
        else log.info('the reward pool has enough again')
      }
      poolShort = short
    },
  }
}
