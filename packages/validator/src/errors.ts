/** Codes keep the prefix `consensus/`, under which earlier releases reported them. */
import { SeverityError } from '@keelson/primitives'

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

export class ValidatorError extends SeverityError<ValidatorErrorCode> {}
