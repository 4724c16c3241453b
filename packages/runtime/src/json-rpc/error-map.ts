import { CodecError, NodeError } from '@keelson/primitives'
import { RPC_ERROR_NUMBERS, RpcError } from './rpc-error.ts'

export type RpcErrorMapper = (error: unknown) => RpcError | null

/** Default mapping: bad input -32602, coded errors -32000, others -32603 without text. */
export function toRpcError(error: unknown, mapper?: RpcErrorMapper): RpcError {
  if (error instanceof RpcError) return error
  const mapped = mapper?.(error) ?? null
  if (mapped !== null) return mapped
  if (error instanceof CodecError) return new RpcError(RPC_ERROR_NUMBERS.invalidParams, error.message, undefined, { cause: error })
  if (error instanceof NodeError) return new RpcError(RPC_ERROR_NUMBERS.server, error.message, undefined, { cause: error })
  return new RpcError(RPC_ERROR_NUMBERS.internal, 'Internal error', undefined, { cause: error })
}

export function combineErrorMappers(...mappers: readonly RpcErrorMapper[]): RpcErrorMapper {
  return (error) => {
    for (const mapper of mappers) {
      const mapped = mapper(error)
      if (mapped !== null) return mapped
    }
    return null
  }
}
