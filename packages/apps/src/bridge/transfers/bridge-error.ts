/** Why a transfer was not begun or not led on; the message says what to do. */
import { type ErrorDetails, NodeError } from '@keelson/primitives'

export type BridgeErrorCode =
  /** It would lose money or fail: nothing was sent. */
  | 'apps/bridge-refused'
  /** The network lacks what it takes. */
  | 'apps/bridge-unsupported'
  /** Neither chain knows the transaction, or it is no transfer. */
  | 'apps/bridge-unknown'
  /** What L1 says of L2 is not what this node says. */
  | 'apps/bridge-mismatch'

export class BridgeError extends NodeError<BridgeErrorCode> {
  readonly code: BridgeErrorCode
  constructor(code: BridgeErrorCode, message: string, details?: ErrorDetails, options?: ErrorOptions) {
    super(message, details, options)
    this.code = code
  }
}
