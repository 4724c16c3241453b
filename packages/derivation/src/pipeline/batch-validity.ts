/** Verdicts on a batch. protocol/derivation.md#batch-queue, holocene/derivation.md#batch-queue */
import type { RollupConfig } from '@keelson/chainspec'
import type { L1BlockRef, L2BlockRef } from '@keelson/primitives'
import type { BatchDropReason } from '../observer.ts'

export type BatchValidity = { readonly kind: 'accept' } | BatchRefusal

export type BatchRefusal =
  /** More L1 blocks are needed to decide. */
  | { readonly kind: 'undecided' }
  /** Later than the next block; before Holocene only. */
  | { readonly kind: 'future' }
  /** The safe chain already has the block, so the batch is skipped but its channel is not; from Holocene only. */
  | { readonly kind: 'past' }
  | { readonly kind: 'drop'; readonly reason: BatchDropReason }

export const ACCEPT: BatchValidity = { kind: 'accept' }
export const UNDECIDED: BatchRefusal = { kind: 'undecided' }
export const FUTURE: BatchRefusal = { kind: 'future' }
export const PAST: BatchRefusal = { kind: 'past' }
export const drop = (reason: BatchDropReason): BatchRefusal => ({ kind: 'drop', reason })

export interface BatchContext {
  readonly config: RollupConfig
  /** Consecutive L1 blocks from the epoch of `parent` (or the one after it) to the one being read. */
  readonly origins: readonly L1BlockRef[]
  readonly parent: L2BlockRef
  /** The L1 block that completed the batch's channel. */
  readonly inclusion: L1BlockRef
}

export function nextTimestampOf(context: BatchContext): number {
  return context.parent.timestampSec + context.config.blockTimeSec
}
