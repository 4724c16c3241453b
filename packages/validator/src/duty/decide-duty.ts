/** Decisions depend only on the chain's current state, so reorgs and restarts need no special case. */

import { SERVED_BLOCK_HASHES } from '@keelson/contracts'
import { type Hash, type L2BlockRef, ZERO_HASH } from '@keelson/primitives'
import { asCalled } from '@keelson/runtime'
import type { KeyPosition, StakingTerms } from '../staking/staking-chain.ts'

export interface EpochPlace {
  readonly epoch: number
  readonly slot: number
  readonly lastInTime: number
  readonly nextSlot: number
}

export function placeOf(block: number, { epochBlocks, graceBlocks }: Pick<StakingTerms, 'epochBlocks' | 'graceBlocks'>): EpochPlace {
  const epoch = Math.floor(block / epochBlocks)
  const slot = epoch * epochBlocks
  return { epoch, slot, lastInTime: slot + graceBlocks, nextSlot: slot + epochBlocks }
}

export interface KeyView {
  readonly position: KeyPosition
  readonly place: EpochPlace
  readonly head: number
  readonly retentionStakeWei: bigint
  readonly firstBlock: number
  readonly signed: boolean
  readonly sending: boolean
}

export type KeyDecision =
  | { readonly kind: 'slashed' }
  | { readonly kind: 'attested' }
  | { readonly kind: 'inactive'; readonly reason: string }
  | { readonly kind: 'listening'; readonly reason: string }
  | { readonly kind: 'too-late'; readonly reason: string }
  | { readonly kind: 'under-way' }
  | { readonly kind: 'send' }
  | { readonly kind: 'sign' }

export function decideDuty({ position, place, head, retentionStakeWei, firstBlock, signed, sending }: KeyView): KeyDecision {
  const { record, duty, weightWei } = position
  if (record?.slashed === true) return { kind: 'slashed' }
  if (duty.lastEpoch === place.epoch && place.epoch > 0) return { kind: 'attested' }
  if (weightWei === 0n) return { kind: 'inactive', reason: whyInactive(position, retentionStakeWei) }
  if (head < firstBlock) {
    return { kind: 'listening', reason: `attests from block ${firstBlock} on, unless another machine attests with this key before` }
  }
  if (head + 1 >= place.nextSlot) return { kind: 'too-late', reason: `epoch ${place.epoch} ends with block ${place.nextSlot - 1}` }
  if (sending) return { kind: 'under-way' }
  return { kind: signed ? 'send' : 'sign' }
}

export function whyInactive({ record, nextWeightWei }: KeyPosition, retentionStakeWei: bigint): string {
  if (record === null) return `not registered: ${asCalled('validator register')}`
  if (record.slashed) return 'slashed, and out for good'
  if (record.ejected) return `ejected after a long silence: ${asCalled('validator rejoin')} asks for a seat again`
  if (nextWeightWei > 0n) return 'active from the next epoch on'
  if (record.stakeWei === 0n) return `nothing is staked: ${asCalled('validator stake')}`
  if (record.stakeWei < retentionStakeWei) return `its stake is too far below the minimum: ${asCalled('validator stake')} adds to it`
  return `others have more at stake and all seats are taken: ${asCalled('validator stake')} adds to it`
}

/** A transaction is mined some blocks after the known head. */
const MARGIN_BLOCKS = 16

export type CheckpointChoice =
  | { readonly kind: 'waiting'; readonly reason: string }
  /** A young chain has no final block yet. */
  | { readonly kind: 'nothing-final'; readonly reason: string }
  | {
      readonly kind: 'block'
      readonly number: number
      readonly hash: Hash
      readonly l1Origin: { readonly number: number; readonly hash: Hash }
    }
  | { readonly kind: 'look-up'; readonly number: number }

/** Chooses the newest block before the epoch's slot that is final for both clients. */
export function chooseCheckpoint(
  finalized: L2BlockRef,
  { slot }: EpochPlace,
  head: number,
  executionFinal: number | null,
): CheckpointChoice {
  if (finalized.hash === ZERO_HASH || finalized.number === 0) {
    return { kind: 'nothing-final', reason: 'nothing is final yet: L1 has finalized no block that L2 blocks come from' }
  }
  if (executionFinal === null || executionFinal === 0) {
    return {
      kind: 'waiting',
      reason: `the consensus client says block ${finalized.number} is final, the execution client has no final block`,
    }
  }
  const number = Math.min(finalized.number, executionFinal, slot - 1)
  if (head + MARGIN_BLOCKS - number > SERVED_BLOCK_HASHES) {
    return {
      kind: 'waiting',
      reason: `the newest final block, ${number}, is ${head - number} blocks old and the chain checks hashes of the last ${SERVED_BLOCK_HASHES} only: L1 finalizes nothing, or the batcher is stalled; only a final block is attested to`,
    }
  }
  if (number < finalized.number) return { kind: 'look-up', number }
  return { kind: 'block', number, hash: finalized.hash, l1Origin: finalized.l1Origin }
}

/** Penalty in wei for the silence so far, beyond what was already charged. */
export function unpaidSilenceWei(
  position: KeyPosition,
  terms: Pick<StakingTerms, 'epochBlocks' | 'dayBlocks' | 'maxDowntimeDays'>,
): bigint {
  const { record, duty, silentEpochs } = position
  if (record === null) return 0n
  const due = Math.min(terms.maxDowntimeDays, Math.floor((silentEpochs * terms.epochBlocks) / terms.dayBlocks))
  const bondedWei = record.stakeWei + record.unbondingWei
  let leftWei = bondedWei
  for (let day = duty.daysPaid; day < due; day++) leftWei -= leftWei / 1000n
  return bondedWei - leftWei
}
