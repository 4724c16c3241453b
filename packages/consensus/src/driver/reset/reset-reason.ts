/** Why the driver looks anew for where the chain stands. Every step back of a head has one of these behind it. */
import { NodeError } from '@keelson/primitives'
import { messageOf } from '../../errors.ts'

export type ResetKind =
  | 'start'
  | 'operator'
  /** A block of L1 that was in use is no longer there. */
  | 'l1-reorg'
  /** The execution client does not know blocks it has had. */
  | 'engine-lost-blocks'
  /** The execution client refuses the heads it is told. */
  | 'engine-forkchoice'
  /** The execution client refuses a block without any transactions of users. */
  | 'engine-rejected-deposits'
  /** Derivation and the safe head no longer fit together. */
  | 'derivation-mismatch'
  /** The execution client has fetched the chain by itself. */
  | 'engine-synced'

export interface ResetReason {
  readonly kind: ResetKind
  readonly message: string
  /** What tells this reset from another of its kind: the block that was in the way, where that is known. */
  readonly subject: string | null
}

const KINDS: Readonly<Record<string, ResetKind>> = {
  'consensus/l1-reorg': 'l1-reorg',
  'derivation/l1-reorg': 'l1-reorg',
  'consensus/engine-syncing': 'engine-lost-blocks',
  'consensus/engine-forkchoice': 'engine-forkchoice',
  'consensus/engine-rejected-deposits': 'engine-rejected-deposits',
}

export const RESET_AT_START: ResetReason = { kind: 'start', message: 'start', subject: null }
export const RESET_BY_OPERATOR: ResetReason = { kind: 'operator', message: 'asked for by the operator', subject: null }

/** The reason an error of severity 'reset' stands for. */
export function resetReasonOf(error: unknown): ResetReason {
  const message = messageOf(error)
  if (!(error instanceof NodeError)) return { kind: 'derivation-mismatch', message, subject: null }
  const kind = KINDS[error.code] ?? 'derivation-mismatch'
  const { hash, origin } = error.details
  const block = kind === 'l1-reorg' ? (hash ?? origin) : null
  return { kind, message, subject: typeof block === 'string' ? block : null }
}
