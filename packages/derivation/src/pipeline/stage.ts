/** What a stage answers when asked for its next item. Stages pull from the one before; the last is asked by the pipeline. */
import type { L1BlockRef, L2BlockRef, PayloadAttributes } from '@keelson/primitives'

export type Pull<T> =
  | { readonly kind: 'item'; readonly item: T }
  /** Something moved inside; ask again. */
  | { readonly kind: 'again' }
  /** Nothing is left of the current L1 block; the pipeline must move to the next one. */
  | { readonly kind: 'origin-exhausted' }

export const AGAIN = { kind: 'again' } as const
export const ORIGIN_EXHAUSTED = { kind: 'origin-exhausted' } as const

export interface Stage<T> {
  pull(): Promise<Pull<T>>
}

/** Attributes for the block after `parent`, as L1 demands it. */
export interface DerivedAttributes {
  readonly attributes: PayloadAttributes
  readonly parent: L2BlockRef
  /** The L1 block at which the batch was complete. */
  readonly derivedFrom: L1BlockRef
  /** False only before Holocene, for a block that is followed by more blocks of its span batch: it is pending safe. */
  readonly becomesSafe: boolean
}
