import { formatTokens } from '@keelson/contracts'
import type { Address } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import { poolDaysLeft } from '../staking/reward-pool.ts'
import type { KeyPosition, StakingPositions, StakingTerms } from '../staking/staking-chain.ts'
import { unpaidSilenceWei } from './decide-duty.ts'

export interface DutyMetrics {
  looked(positions: StakingPositions, terms: StakingTerms): void
  nextDuty(slot: number, timeSec: number): void
  watermark(key: Address, epoch: number): void
  attested(key: Address, epoch: number, lateBlocks: number, graceBlocks: number): void
  missed(key: Address): void
  failed(): void
  disagreed(): void
}

export function createDutyMetrics(metrics: Metrics, blockTimeSec: number): DutyMetrics {
  const nextSlot = metrics.gauge('next_duty_slot', 'Number of the block from which the next attestation is due')
  const nextTime = metrics.gauge('next_duty_time_seconds', 'Unix time of the next duty')
  const lastEpoch = metrics.gauge('last_attested_epoch', 'Epoch of the last attestation on chain', ['key'])
  const attested = metrics.counter('attestations_total', 'Attestations on chain, by timeliness', ['key', 'timeliness'])
  const missed = metrics.counter('missed_attestations_total', 'Epochs in which an active key did not attest', ['key'])
  const delay = metrics.histogram('inclusion_delay_blocks', 'Blocks between slot and attestation', [], [0, 1, 2, 3, 5, 7, 10, 15, 30, 60])
  const watermark = metrics.gauge('protection_watermark', 'Epoch up to which slashing protection refuses to sign', ['key'])
  const stake = metrics.gauge('stake_tokens', 'Stake', ['key'])
  const unbonding = metrics.gauge('unbonding_tokens', 'Stake that was asked back', ['key'])
  const rewards = metrics.gauge('rewards_tokens', 'Rewards credited and not paid out', ['key'])
  const silent = metrics.gauge('silent_epochs', 'Live epochs of the running silence', ['key'])
  const penalty = metrics.gauge('penalty_tokens', 'What the running silence costs beyond what was taken', ['key'])
  const active = metrics.gauge('active', '1 while the key is active', ['key'])
  const shortfall = metrics.gauge('reward_pool_shortfall_tokens', 'What the reward pool lacks for an epoch')
  const pool = metrics.gauge('reward_pool_tokens', 'What the reward pool has')
  const poolDays = metrics.gauge('reward_pool_days_left', 'Days until the reward pool is empty when every epoch is rewarded')
  const failures = metrics.counter('failures_total', 'Steps of the duty loop that failed')
  const disagreements = metrics.counter('checkpoint_disagreements_total', 'Looks at which nodes did not agree on what is final')

  function lookedAt(position: KeyPosition, terms: StakingTerms): void {
    const { key, record, duty } = position
    active.set(position.weightWei > 0n ? 1 : 0, { key })
    lastEpoch.set(duty.lastEpoch, { key })
    missed.inc(0, { key })
    for (const timeliness of ['in-time', 'late']) attested.inc(0, { key, timeliness })
    silent.set(position.silentEpochs, { key })
    penalty.set(tokens(unpaidSilenceWei(position, terms)), { key })
    if (record === null) return
    stake.set(tokens(record.stakeWei), { key })
    unbonding.set(tokens(record.unbondingWei), { key })
    rewards.set(tokens(record.rewardsWei), { key })
  }

  return {
    looked(positions, terms) {
      for (const position of positions.keys) lookedAt(position, terms)
      shortfall.set(tokens(positions.shortfallWei))
      pool.set(tokens(positions.accounts.poolWei))
      poolDays.set(poolDaysLeft(positions.accounts.poolWei, terms, blockTimeSec))
    },
    nextDuty(slot, timeSec) {
      nextSlot.set(slot)
      nextTime.set(timeSec)
    },
    watermark: (key, epoch) => watermark.set(epoch, { key }),
    attested(key, _epoch, lateBlocks, graceBlocks) {
      attested.inc(1, { key, timeliness: lateBlocks <= graceBlocks ? 'in-time' : 'late' })
      delay.observe(lateBlocks)
    },
    missed: (key) => missed.inc(1, { key }),
    failed: () => failures.inc(),
    disagreed: () => disagreements.inc(),
  }
}

function tokens(wei: bigint): number {
  return Number(formatTokens(wei))
}
