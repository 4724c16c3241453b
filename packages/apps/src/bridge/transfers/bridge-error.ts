import { NodeError } from '@keelson/primitives'

export type BridgeErrorCode =
  | 'apps/bridge-refused'
  | 'apps/bridge-unsupported'
  /** Unknown on both chains, or not a transfer. */
  | 'apps/bridge-unknown'
  /** L1 and this node disagree about L2. */
  | 'apps/bridge-mismatch'

export class BridgeError extends NodeError<BridgeErrorCode> {}
