/** Failures of a validator. The codes begin with `consensus/`, under which earlier releases reported them. */
import { type ErrorDetails, NodeError, type Severity } from '@keelson/primitives'

export type ValidatorErrorCode =
  | 'consensus/attestations'
  | 'consensus/signing-refused'
  | 'consensus/remote-signer'
  | 'consensus/protection-missing'
  | 'consensus/protection-damaged'
  | 'consensus/protection-import'
  | 'consensus/validator-key'
  | 'consensus/staking'
  | 'consensus/no-staking-contract'
  | 'consensus/doppelganger'
  | 'consensus/slashed'
  | 'consensus/validator-key-in-use'

export class ValidatorError extends NodeError<ValidatorErrorCode> {
  readonly code: ValidatorErrorCode
  readonly severity: Severity
  constructor(code: ValidatorErrorCode, severity: Severity, message: string, details?: ErrorDetails, options?: ErrorOptions) {
    super(message, details, options)
    this.code = code
    this.severity = severity
  }
}
