/** Failures of the faucet as a whole; what a caller did wrong is a value with a reason instead (claims/claim-desk.ts). */
import { type ErrorDetails, NodeError, type Severity } from '@keelson/primitives'

export type FaucetErrorCode =
  /** The node is on another chain than the faucet was started for. */
  | 'apps/faucet-chain'
  /** The store holds a record that this program did not write. */
  | 'apps/faucet-record'
  /** The operator asked for something that cannot be done; the message says why. */
  | 'apps/faucet-task'

export class FaucetError extends NodeError<FaucetErrorCode> {
  readonly code: FaucetErrorCode
  readonly severity: Severity = 'critical'
  constructor(code: FaucetErrorCode, message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(message, details, options)
    this.code = code
  }
}
