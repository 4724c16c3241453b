/** What each validator did in the newest epochs, from the contract's events. */
import { attestationUptime, isBelowTarget, type Uptime, VALIDATOR_UPTIME_TARGET } from '@keelson/contracts/staking'
import type { StakingView, ValidatorPosition } from '../../data/staking/staking.ts'

/** `idle` is an epoch without a duty, `due` the current one before the attestation. */
export type EpochMark = 'attested' | 'late' | 'missed' | 'due' | 'idle'

export interface MarkedEpoch {
  readonly epoch: number
  readonly mark: EpochMark
}

export const SHOWN_EPOCHS = 20

type View = Pick<StakingView, 'epoch' | 'fromEpoch' | 'terms' | 'events'>
type Position = Pick<ValidatorPosition, 'key' | 'firstWeightWei'>

/** The newest epochs in ascending order, the current one last. */
export function newestEpochs({ epoch, fromEpoch, terms, events }: View, { key, firstWeightWei }: Position): readonly MarkedEpoch[] {
  const lateBlocks = new Map(events.attested.filter(({ validator }) => validator === key).map((event) => [event.epoch, event.lateBlocks]))
  const changes = new Map(events.weights.filter(({ validator }) => validator === key).map((event) => [event.epoch, event.weightWei]))
  const marked: MarkedEpoch[] = []
  let weightWei = firstWeightWei
  for (let at = fromEpoch; at <= epoch; at++) {
    if (at > fromEpoch) weightWei = changes.get(at) ?? weightWei
    marked.push({ epoch: at, mark: markOf(lateBlocks.get(at), weightWei > 0n, at === epoch, terms.graceBlocks) })
  }
  return marked.slice(-SHOWN_EPOCHS)
}

function markOf(lateBlocks: number | undefined, isActive: boolean, isCurrent: boolean, graceBlocks: number): EpochMark {
  if (lateBlocks !== undefined) return lateBlocks > graceBlocks ? 'late' : 'attested'
  if (!isActive) return 'idle'
  return isCurrent ? 'due' : 'missed'
}

/** Uptime over the complete epochs of the last day. */
export function uptimeOf({ epoch, fromEpoch, events }: View, { key, firstWeightWei }: Position): Uptime & { readonly isBelow: boolean } {
  const uptime = attestationUptime({ key, events, firstWeightWei, fromEpoch, untilEpoch: epoch })
  return { ...uptime, isBelow: isBelowTarget(uptime, VALIDATOR_UPTIME_TARGET) }
}

export interface ValidatorState {
  readonly word: 'active' | 'entering' | 'slashed' | 'ejected' | 'no stake' | 'no seat'
  readonly text: string
}

export function stateOf({ record, weightWei, nextWeightWei }: Omit<ValidatorPosition, 'key'>): ValidatorState {
  if (record.slashed) return { word: 'slashed', text: 'Excluded for ever after an offence.' }
  if (weightWei > 0n) return { word: 'active', text: 'Has a seat in this epoch.' }
  if (nextWeightWei > 0n) return { word: 'entering', text: 'Has a seat from the next epoch on.' }
  if (record.ejected) return { word: 'ejected', text: 'Was silent for too long; its owner may rejoin.' }
  if (record.stakeWei === 0n) return { word: 'no stake', text: 'Nothing is staked.' }
  return { word: 'no seat', text: 'Others have more at stake, or its stake is too low.' }
}
