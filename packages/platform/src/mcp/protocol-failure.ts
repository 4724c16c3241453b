/** A failure that is answered as a JSON-RPC error: the SDK takes `code` and `message` of what a handler throws as they are. */
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'

export type ProtocolFailureKind = 'invalid-request' | 'invalid-params' | 'internal' | 'ended' | 'cancelled'

const CODES: Readonly<Record<ProtocolFailureKind, number>> = {
  'invalid-request': ErrorCode.InvalidRequest,
  'invalid-params': ErrorCode.InvalidParams,
  internal: ErrorCode.InternalError,
  ended: ErrorCode.ConnectionClosed,
  // as editors' protocols have it; this one names none
  cancelled: -32_800,
}

export class ProtocolFailure extends Error {
  readonly code: number
  constructor(kind: ProtocolFailureKind, message: string) {
    super(message)
    this.code = CODES[kind]
  }
}
