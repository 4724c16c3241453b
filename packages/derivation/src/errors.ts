/** Why derivation could not do its job. Bad data from L1 is never one of these: it is dropped, with a DropReason. */
import { type ErrorDetails, NodeError, type Severity } from '@keelson/primitives'

export type DerivationErrorCode =
  /** The L1 chain is no longer the one the pipeline stands on; rewind. */
  | 'derivation/l1-reorg'
  /** The attributes asked for do not fit the L2 block they should follow; rewind. */
  | 'derivation/l2-parent-mismatch'
  /** A block of our own safe chain is not to be had yet; try again. */
  | 'derivation/l2-unavailable'
  /** An L2 block does not have the form derivation gave it: the engine's data is damaged. */
  | 'derivation/l2-block-malformed'
  /** A deposit log of the portal cannot be read: deposits may never be skipped, so stop. */
  | 'derivation/deposit-malformed'
  /** The configuration does not say what is needed to go on. */
  | 'derivation/config'
  /** A state that the rules exclude. */
  | 'derivation/internal'

export class DerivationError extends NodeError<DerivationErrorCode> {
  readonly code: DerivationErrorCode
  readonly severity: Severity
  constructor(code: DerivationErrorCode, severity: Severity, message: string, details?: ErrorDetails, options?: ErrorOptions) {
    super(message, details, options)
    this.code = code
    this.severity = severity
  }
}
