import { NodeError } from '@keelson/primitives'
import { messageOf } from '../../errors.ts'

export type ResetKind =
  | 'start'
  | 'operator'
  | 'l1-reorg'
  | 'engine-lost-blocks'
  | 'engine-forkchoice'
  | 'engine-rejected-deposits'
  /** Derived attributes do not extend the safe head. */
  | 'derivation-mismatch'
  | 'engine-synced'

export interface ResetReason {
  readonly kind: ResetKind
  readonly message: string
  /** Hash of the block that caused the reset. */
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
export const RESET_BY_OPERATOR: ResetReason = { kind: 'operator', message: 'requested by the operator', subject: null }

export function resetReasonOf(error: unknown): ResetReason {
  const message = messageOf(error)
  if (!(error instanceof NodeError)) return { kind: 'derivation-mismatch', message, subject: null }
  const kind = KINDS[error.code] ?? 'derivation-mismatch'
  const { hash, origin } = error.details
  const block = kind === 'l1-reorg' ? (hash ?? origin) : null
  return { kind, message, subject: typeof block === 'string' ? block : null }
}
