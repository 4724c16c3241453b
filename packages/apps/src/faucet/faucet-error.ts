/** Callers' mistakes are return values, not errors. */
import { NodeError, type Severity } from '@keelson/primitives'

export type FaucetErrorCode =
  | 'apps/faucet-chain'
  | 'apps/faucet-other-chain'
  | 'apps/faucet-record'
  | 'apps/faucet-standby'
  | 'apps/faucet-task'

export class FaucetError extends NodeError<FaucetErrorCode> {
  readonly severity: Severity = 'critical'
}
