/** Invalid L1 data never causes an error; it is reported with a DropReason. */
import { SeverityError } from '@keelson/primitives'

export type DerivationErrorCode =
  /** The pipeline's origin is no longer in the L1 chain; the pipeline resets. */
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
