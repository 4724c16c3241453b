import type { L1BlockRef, L2BlockRef, PayloadAttributes } from '@keelson/primitives'

export type Pull<T> =
  | { readonly kind: 'item'; readonly item: T }
  | { readonly kind: 'again' }
  /** The current L1 block has no more data; the pipeline must advance. */
  | { readonly kind: 'origin-exhausted' }

export const AGAIN = { kind: 'again' } as const
export const ORIGIN_EXHAUSTED = { kind: 'origin-exhausted' } as const

export interface Stage<T> {
  pull(): Promise<Pull<T>>
}

export interface DerivedAttributes {
  readonly attributes: PayloadAttributes
  readonly parent: L2BlockRef
  readonly derivedFrom: L1BlockRef
  /** False only before Holocene, for all but the last block of a span batch; such blocks become pending safe. */
  readonly becomesSafe: boolean
}
