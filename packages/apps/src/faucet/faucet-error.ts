/** Mistakes of callers are values instead (claims/claim-service.ts). */
import { type ErrorDetails, NodeError, type Severity } from '@keelson/primitives'

export type FaucetErrorCode = 'apps/faucet-chain' | 'apps/faucet-record' | 'apps/faucet-task'

export class FaucetError extends NodeError<FaucetErrorCode> {
  readonly code: FaucetErrorCode
  readonly severity: Severity = 'critical'
  constructor(code: FaucetErrorCode, message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(message, details, options)
    this.code = code
  }
}
