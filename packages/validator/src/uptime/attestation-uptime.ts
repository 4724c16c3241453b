/**
 * The uptime of a validator: the share of its active epochs in which it attested, computed from events of the Staking contract
 * alone, so that every machine gets the same figure.
 */
import type { AttestedEvent, WeightChangedEvent } from '@keelson/contracts'
import type { Address } from '@keelson/primitives'

/** Uptime that the network expects of a validator. */
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
  /** Null when no epoch was due. */
  readonly share: number | null
}

export type Attested = Pick<AttestedEvent, 'validator' | 'epoch'>

/** In block order. */
export interface UptimeEvents {
  readonly attested: readonly Attested[]
  readonly weights: readonly WeightChangedEvent[]
}

export interface UptimeInput {
  readonly key: Address
  /** Attestations and weight changes from the first block of the epoch before `fromEpoch` on; others are ignored. */
  readonly events: UptimeEvents
  /** At the start of `fromEpoch`. */
  readonly firstWeightWei: bigint
  readonly fromEpoch: number
  /** Exclusive: the incomplete epoch. */
  readonly untilEpoch: number
}

/** Epochs in which nobody could attest count as well: the contract does not record why an attestation is missing. */
export function attestationUptime({ key, events, firstWeightWei, fromEpoch, untilEpoch }: UptimeInput): Uptime {
  const attested = new Set(events.attested.filter(({ validator }) => validator === key).map(({ epoch }) => epoch))
  // the last change for an epoch counts
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

/** "99.31% (286 of 288 epochs)". Rounded down, so that a missed epoch never reads as 100%. */
export function uptimeText({ share, attestedEpochs, dueEpochs }: Uptime): string {
  return share === null ? 'no epoch due' : `${percentText(share)} (${attestedEpochs} of ${dueEpochs} epochs)`
}

/** With two digits after the point, rounded down. */
export function percentText(share: number): string {
  return `${(Math.floor(share * 10_000 + 1e-6) / 100).toFixed(2)}%`
}
