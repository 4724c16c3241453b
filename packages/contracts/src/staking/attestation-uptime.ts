/** Uptime follows from the Staking contract's events alone, so that every machine gets the same figure. */
import type { Address } from '@keelson/primitives'
import type { AttestedEvent, WeightChangedEvent } from './staking-events.ts'

export const VALIDATOR_UPTIME_TARGET = 0.99

const DAY_SEC = 86_400

/** Periods that end with the newest complete epoch. */
export const UPTIME_WINDOWS = [
  { name: '24h', sec: DAY_SEC },
  { name: '7d', sec: 7 * DAY_SEC },
] as const

export interface Uptime {
  readonly dueEpochs: number
  readonly attestedEpochs: number
  readonly share: number | null
}

export type Attested = Pick<AttestedEvent, 'validator' | 'epoch'>

export interface UptimeEvents {
  readonly attested: readonly Attested[]
  readonly weights: readonly WeightChangedEvent[]
}

export interface UptimeInput {
  readonly key: Address
  /** Events from the first block of the epoch before `fromEpoch` on. */
  readonly events: UptimeEvents
  readonly firstWeightWei: bigint
  readonly fromEpoch: number
  /** Exclusive; the current, incomplete epoch. */
  readonly untilEpoch: number
}

/** Epochs in which nobody could attest count as well: the contract does not record the cause. */
export function attestationUptime({ key, events, firstWeightWei, fromEpoch, untilEpoch }: UptimeInput): Uptime {
  const attested = new Set(events.attested.filter(({ validator }) => validator === key).map(({ epoch }) => epoch))
  const changes = new Map(events.weights.filter(({ validator }) => validator === key).map(({ epoch, weightWei }) => [epoch, weightWei]))
  let weightWei = firstWeightWei
  let dueEpochs = 0
  let attestedEpochs = 0
  for (let epoch = fromEpoch; epoch < untilEpoch; epoch++) {
    if (epoch > fromEpoch) weightWei = changes.get(epoch) ?? weightWei
    if (weightWei === 0n) continue
    dueEpochs++
    if (attested.has(epoch)) attestedEpochs++
  }
  return { dueEpochs, attestedEpochs, share: dueEpochs === 0 ? null : attestedEpochs / dueEpochs }
}

export function isBelowTarget({ share }: Uptime, target: number): boolean {
  return share !== null && share < target
}

/** Rounded down, so that a missed epoch never reads as 100%. */
export function uptimeText({ share, attestedEpochs, dueEpochs }: Uptime): string {
  return share === null ? 'no epoch due' : `${percentText(share)} (${attestedEpochs} of ${dueEpochs} epochs)`
}

export function percentText(share: number): string {
  return `${(Math.floor(share * 10_000 + 1e-6) / 100).toFixed(2)}%`
}
