/** Bad L1 data causes no error but a DropReason. */
import { SeverityError } from '@keelson/primitives'

export type DerivationErrorCode =
  /** L1 lost the pipeline's origin; the pipeline resets. */
  | 'derivation/l1-reorg'
  /** The attributes do not fit their L2 parent; the pipeline resets. */
  | 'derivation/l2-parent-mismatch'
  /** The execution client lacks a safe block; the step is retried. */
  | 'derivation/l2-unavailable'
  /** The execution client's data is damaged. */
  | 'derivation/l2-block-malformed'
  /** Deposits may never be skipped, so derivation stops. */
  | 'derivation/deposit-malformed'
  | 'derivation/config'
  | 'derivation/internal'

export class DerivationError extends SeverityError<DerivationErrorCode> {}
