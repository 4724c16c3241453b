/** The SDK copies `code` and `message` of errors that handlers throw. */
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import type { McpAnswer } from '../schemas/mcp.ts'

export type ProtocolFailureKind = 'invalid-request' | 'invalid-params' | 'internal' | 'ended' | 'cancelled'

const CODES: Readonly<Record<ProtocolFailureKind, number>> = {
  'invalid-request': ErrorCode.InvalidRequest,
  'invalid-params': ErrorCode.InvalidParams,
  internal: ErrorCode.InternalError,
  ended: ErrorCode.ConnectionClosed,
  // RequestCancelled in the Language Server Protocol
  cancelled: -32_800,
}

export class ProtocolFailure extends Error {
  readonly code: number
  constructor(kind: ProtocolFailureKind, message: string) {
    super(message)
    this.code = CODES[kind]
  }

  answerTo(id: string | number | undefined) {
    return { jsonrpc: '2.0', id: id ?? null, error: { code: this.code, message: this.message } } satisfies McpAnswer
  }
}
