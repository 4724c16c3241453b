import { NodeError } from '@keelson/primitives'

export type BridgeErrorCode =
  | 'apps/bridge-refused'
  | 'apps/bridge-unsupported'
  | 'apps/bridge-unknown'
  /** L1 and this node disagree about L2. */
  | 'apps/bridge-mismatch'

export class BridgeError extends NodeError<BridgeErrorCode> {}
