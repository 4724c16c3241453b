import { type ErrorDetails, NodeError, type Severity } from '@keelson/primitives'

export type P2pErrorCode =
  | 'p2p/handshake'
  | 'p2p/frame'
  | 'p2p/hello'
  | 'p2p/message'
  | 'p2p/closed'
  | 'p2p/timeout'
  | 'p2p/disconnected'
  | 'p2p/discovery-start'

export class P2pError extends NodeError<P2pErrorCode> {
  readonly severity: Severity = 'temporary'
  constructor(code: P2pErrorCode, message: string, details?: ErrorDetails, options?: ErrorOptions) {
    super(code, message, details, options)
  }
}
