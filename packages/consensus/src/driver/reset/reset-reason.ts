import { NodeError } from '@keelson/primitives'
import { messageOf } from '../../errors.ts'

export type ResetKind =
  | 'start'
  | 'operator'
  /** L1 no longer has a block that was in use. */
  | 'l1-reorg'
  /** The execution client no longer has blocks it had. */
  | 'engine-lost-blocks'
  /** The execution client rejects the heads it receives. */
  | 'engine-forkchoice'
  /** The execution client rejects a deposits-only block. */
  | 'engine-rejected-deposits'
  /** Derivation does not continue from the safe head. */
  | 'derivation-mismatch'
  /** The execution client fetched the chain from its peers. */
  | 'engine-synced'

/** Why the driver searches for the sync start again. A head moves back only with such a reason. */
export interface ResetReason {
  readonly kind: ResetKind
  readonly message: string
  /** Hash of the block that caused the reset, where known; it distinguishes resets of one kind. */
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

/** Returns the reason for an error of severity 'reset'. */
export function resetReasonOf(error: unknown): ResetReason {
  const message = messageOf(error)
  if (!(error instanceof NodeError)) return { kind: 'derivation-mismatch', message, subject: null }
  const kind = KINDS[error.code] ?? 'derivation-mismatch'
  const { hash, origin } = error.details
  const block = kind === 'l1-reorg' ? (hash ?? origin) : null
  return { kind, message, subject: typeof block === 'string' ? block : null }
}
