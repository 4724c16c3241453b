/** protocol/derivation.md#batch-queue, holocene/derivation.md#batch-queue */
import type { RollupConfig } from '@keelson/chainspec'
import type { L1BlockRef, L2BlockRef } from '@keelson/primitives'
import type { BatchDropReason } from '../observer.ts'

export type BatchValidity = { readonly kind: 'accept' } | BatchRefusal

export type BatchRefusal =
  /** More L1 blocks are needed. */
  | { readonly kind: 'undecided' }
  /** Before Holocene: later than the next block. */
  | { readonly kind: 'future' }
  /** From Holocene: already safe, so the batch is skipped but its channel is not. */
  | { readonly kind: 'past' }
  | { readonly kind: 'drop'; readonly reason: BatchDropReason }

export const ACCEPT: BatchValidity = { kind: 'accept' }
export const UNDECIDED: BatchRefusal = { kind: 'undecided' }
export const FUTURE: BatchRefusal = { kind: 'future' }
export const PAST: BatchRefusal = { kind: 'past' }
export const drop = (reason: BatchDropReason): BatchRefusal => ({ kind: 'drop', reason })

export interface BatchContext {
  readonly config: RollupConfig
  /** Consecutive L1 blocks from the epoch of `parent` (or the next) to the current one. */
  readonly origins: readonly L1BlockRef[]
  readonly parent: L2BlockRef
  /** The L1 block that completed the channel. */
  readonly inclusion: L1BlockRef
}

export function nextTimestampOf(context: BatchContext): number {
  return context.parent.timestampSec + context.config.blockTimeSec
}
