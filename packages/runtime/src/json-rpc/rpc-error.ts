/** JSON-RPC 2.0 section 5.1, EIP-1474 */
import { CodecError, NodeError } from '@keelson/primitives'

export const RPC_ERROR_NUMBERS = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  server: -32000,
  timeout: -32002,
  responseTooLarge: -32003,
  executionReverted: 3,
  rateLimited: 429,
} as const

export class RpcError extends NodeError<'rpc/error'> {
  readonly number: number
  readonly data: unknown
  constructor(number: number, message: string, data?: unknown, options?: ErrorOptions) {
    super('rpc/error', message, { number }, options)
    this.number = number
    this.data = data
  }
}

export function invalidParams(message: string): RpcError {
  return new RpcError(RPC_ERROR_NUMBERS.invalidParams, message)
}

/** Turns a CodecError of `parse` into an RpcError for invalid params. */
export function parseParams<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (error instanceof CodecError) throw invalidParams(error.message)
    throw error
  }
}

/** Wallets and libraries match this text; do not change it. */
export function methodNotFound(method: string): RpcError {
  return new RpcError(RPC_ERROR_NUMBERS.methodNotFound, `the method ${method} does not exist/is not available`)
}
