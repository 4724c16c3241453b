import { isBelowTarget, uptimeText, VALIDATOR_UPTIME_TARGET } from '@keelson/contracts'
import type { Address } from '@keelson/primitives'
import { asCalled } from '@keelson/runtime'
import {
  daysText,
  type KeyPosition,
  placeOf,
  poolDaysLeft,
  type StakingEvents,
  type StakingPositions,
  type StakingTerms,
  unpaidSilenceWei,
  type ValidatorStake,
  type WindowUptime,
  whyInactive,
} from '@keelson/validator'
import { fromBlockOn } from './open-staking.ts'
import { shownAmount } from './shown-amount.ts'

export interface StatusInput {
  readonly position: KeyPosition
  readonly positions: StakingPositions
  readonly ranking: readonly ValidatorStake[]
  readonly events: StakingEvents
  readonly uptimes: readonly WindowUptime[]
  readonly terms: StakingTerms
  readonly head: { readonly number: number; readonly timestampSec: number }
  readonly blockTimeSec: number
  readonly symbol: string
}

const DOWNTIME = new Set(['downtime', 'late-attestations'])

export function validatorFacts({ position, positions, ranking, events, uptimes, terms, head, blockTimeSec }: StatusInput) {
  const { key, record, duty, weightWei, nextWeightWei, silentEpochs } = position
  const place = placeOf(head.number, terms)
  const rank = ranking.findIndex((entry) => entry.key === key)
  const mine = <E extends { readonly validator: Address }>(all: readonly E[]) => all.filter(({ validator }) => validator === key)
  const slashings = mine(events.slashed)
  const silenceWei = slashings.filter(({ offence }) => DOWNTIME.has(offence)).reduce((sum, { amountWei }) => sum + amountWei, 0n)
  const dueNow = weightWei > 0n && duty.lastEpoch !== place.epoch && head.number + 1 < place.nextSlot
  const slot = dueNow ? place.slot : place.nextSlot
  return {
    key,
    registered: record !== null,
    ...(record === null
      ? {}
      : {
          id: record.id,
          owner: record.owner,
          payout: record.payout,
          blockKey: record.blockKey,
          slashed: record.slashed,
          ejected: record.ejected,
          openOffences: record.openOffences,
        }),
    stakeWei: record?.stakeWei ?? 0n,
    minimumStakeWei: terms.minimumStakeWei,
    retentionStakeWei: terms.retentionStakeWei,
    rewardsWei: record?.rewardsWei ?? 0n,
    unbonding:
      record === null || record.unbondingWei === 0n
        ? null
        : {
            amountWei: record.unbondingWei,
            availableAt: record.availableAt,
            availableAtTimeSec: head.timestampSec + Math.max(0, record.availableAt - head.number) * blockTimeSec,
          },
    epoch: place.epoch,
    active: weightWei > 0n,
    activeNextEpoch: nextWeightWei > 0n,
    whyNotActive: weightWei > 0n ? null : whyInactive(position, terms.retentionStakeWei),
    weightWei,
    nextWeightWei,
    rank: rank < 0 ? null : rank + 1,
    seats: terms.seats,
    lastAttestedEpoch: duty.lastEpoch === 0 ? null : duty.lastEpoch,
    uptime: {
      target: VALIDATOR_UPTIME_TARGET,
      windows: uptimes.map((uptime) => ({ ...uptime, belowTarget: isBelowTarget(uptime, VALIDATOR_UPTIME_TARGET) })),
    },
    silentEpochs,
    silenceCostWei: silenceWei,
    silenceCostUnpaidWei: unpaidSilenceWei(position, terms),
    slashings: slashings.map(({ offence, epoch, amountWei, blockNumber }) => ({ offence, epoch, amountWei, blockNumber })),
    nextDuty:
      dueNow || nextWeightWei > 0n
        ? { epoch: slot / terms.epochBlocks, slot, timeSec: head.timestampSec + (slot - head.number) * blockTimeSec }
        : null,
    rewardPool: {
      leftWei: positions.accounts.poolWei,
      shortfallWei: positions.shortfallWei,
      daysLeft: poolDaysLeft(positions.accounts.poolWei, terms, blockTimeSec),
    },
  }
}

export type ValidatorFacts = ReturnType<typeof validatorFacts>

export function validatorLines(facts: ValidatorFacts, { symbol, head, blockTimeSec, ranking }: StatusInput): readonly string[] {
  const tokens = (wei: bigint) => shownAmount(wei, symbol)
  const { unbonding, nextDuty, rewardPool } = facts
  const rows: readonly (readonly [string, string])[] = [
    ['owner', facts.owner ?? `not registered: ${asCalled('validator register')}`],
    ['payout', facts.payout ?? '-'],
    ['stake', stakeText(facts, tokens)],
    ['active', facts.active ? `yes, in epoch ${facts.epoch} with ${tokens(facts.weightWei)}` : `no: ${facts.whyNotActive}`],
    ['next epoch', facts.activeNextEpoch ? `active with ${tokens(facts.nextWeightWei)}` : 'not active'],
    ['rank', rankText(facts, ranking, tokens)],
    ['last attested', facts.lastAttestedEpoch === null ? 'never' : `in epoch ${facts.lastAttestedEpoch}`],
    ...facts.uptime.windows.map((uptime) => ['uptime', uptimeLine(uptime)] as const),
    [
      'silence',
      `${facts.silentEpochs} epochs; it cost ${tokens(facts.silenceCostWei)} so far${
        facts.silenceCostUnpaidWei > 0n ? `, and ${tokens(facts.silenceCostUnpaidWei)} as soon as it is settled` : ''
      }`,
    ],
    ['rewards', `${tokens(facts.rewardsWei)} to claim`],
    [
      'unbonding',
      unbonding === null
        ? 'nothing'
        : `${tokens(unbonding.amountWei)}, free ${fromBlockOn(unbonding.availableAt, head.number, blockTimeSec)}`,
    ],
    [
      'next duty',
      nextDuty === null
        ? 'none'
        : `epoch ${nextDuty.epoch}, ${fromBlockOn(nextDuty.slot, head.number, blockTimeSec)} (${new Date(nextDuty.timeSec * 1000).toISOString().slice(0, 19)}Z)`,
    ],
    [
      'reward pool',
      rewardPool.shortfallWei === 0n
        ? `has ${tokens(rewardPool.leftWei)}, which lasts ${daysText(rewardPool.daysLeft)}`
        : `has ${tokens(rewardPool.leftWei)}, which is ${tokens(rewardPool.shortfallWei)} too little for an epoch: ${asCalled('validator fund-pool')} fills it`,
    ],
    ...facts.slashings
      .slice(-5)
      .map(
        ({ offence, epoch, amountWei, blockNumber }) =>
          ['slashed', `${tokens(amountWei)} for ${offence}, epoch ${epoch}, in block ${blockNumber}`] as const,
      ),
    ...(facts.slashed !== true && (facts.openOffences ?? 0) > 0
      ? [
          [
            'open',
            `${facts.openOffences} wrong attestations whose price can still rise; nothing can be withdrawn until it is final`,
          ] as const,
        ]
      : []),
    ...(facts.ejected === true && facts.slashed !== true
      ? [['ejected', `for long silence: ${asCalled('validator rejoin')} asks for a seat again`] as const]
      : []),
    ...(facts.slashed === true ? [['slashed', 'out for good: this key attests no more'] as const] : []),
  ]
  return [
    `validator ${facts.key}${facts.id === undefined ? '' : `, number ${facts.id}`}`,
    ...rows.map(([name, text]) => `  ${name.padEnd(14)} ${text}`),
  ]
}

function uptimeLine({ window, belowTarget, ...uptime }: ValidatorFacts['uptime']['windows'][number]): string {
  const target = `${VALIDATOR_UPTIME_TARGET * 100}%`
  const period = window === 'start' ? 'since the start' : `in ${window}`
  return `${uptimeText(uptime)} ${period}, ${belowTarget ? `BELOW the target of ${target}` : `target ${target}`}`
}

function stakeText(
  { stakeWei, minimumStakeWei, retentionStakeWei, activeNextEpoch }: ValidatorFacts,
  tokens: (wei: bigint) => string,
): string {
  if (!activeNextEpoch || stakeWei >= minimumStakeWei) return tokens(stakeWei)
  return `${tokens(stakeWei)}, below the minimum of ${tokens(minimumStakeWei)}; the seat is lost below ${tokens(retentionStakeWei)}`
}

function rankText({ rank, seats, active }: ValidatorFacts, ranking: readonly ValidatorStake[], tokens: (wei: bigint) => string): string {
  if (rank !== null) return `${rank} of ${ranking.length} ${active ? 'active' : 'that are active from the next epoch on'}, ${seats} seats`
  const lowest = ranking.at(-1)
  return lowest !== undefined && ranking.length >= seats ? `none: the last of ${seats} seats has ${tokens(lowest.stakeWei)}` : 'none'
}
