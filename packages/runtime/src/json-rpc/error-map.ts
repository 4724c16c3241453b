/** What a caller is told when a handler throws: one place turns domain errors into numbers and texts. */
import { CodecError, NodeError } from '@keelson/primitives'
import { RPC_ERROR_NUMBERS, RpcError } from './rpc-error.ts'

/** A package's own table; null leaves the error to the next one. */
export type RpcErrorMapper = (error: unknown) => RpcError | null

/** RpcError as it is, then `mapper`, then: bad input -32602, coded errors -32000 with their text, the rest -32603 without. */
export function toRpcError(error: unknown, mapper?: RpcErrorMapper): RpcError {
  if (error instanceof RpcError) return error
  const mapped = mapper?.(error) ?? null
  if (mapped !== null) return mapped
  if (error instanceof CodecError) return new RpcError(RPC_ERROR_NUMBERS.invalidParams, error.message, undefined, { cause: error })
  if (error instanceof NodeError) return new RpcError(RPC_ERROR_NUMBERS.server, error.message, undefined, { cause: error })
  return new RpcError(RPC_ERROR_NUMBERS.internal, 'Internal error', undefined, { cause: error })
}

/** Tries tables in turn. */
export function combineErrorMappers(...mappers: readonly RpcErrorMapper[]): RpcErrorMapper {
  return (error) => {
    for (const mapper of mappers) {
      const mapped = mapper(error)
      if (mapped !== null) return mapped
    }
    return null
  }
}
