/** Failures of derivation. Bad L1 data never causes one: it is dropped with a DropReason. */
import { SeverityError } from '@keelson/primitives'

export type DerivationErrorCode =
  /** The L1 chain no longer contains the pipeline's origin; the pipeline resets. */
  | 'derivation/l1-reorg'
  /** The requested attributes do not fit their L2 parent; the pipeline resets. */
  | 'derivation/l2-parent-mismatch'
  /** The execution client does not return a block of the safe chain yet; the step is retried. */
  | 'derivation/l2-unavailable'
  /** An L2 block lacks the form that derivation gives it: the execution client's data is damaged. */
  | 'derivation/l2-block-malformed'
  /** A deposit log cannot be decoded. Deposits may never be skipped, so derivation stops. */
  | 'derivation/deposit-malformed'
  | 'derivation/config'
  | 'derivation/internal'

export class DerivationError extends SeverityError<DerivationErrorCode> {}
