import { RPC_ERROR_NUMBERS, RpcError } from '../rpc-error.ts'
import type { RpcHandler, RpcMethods } from '../rpc-method.ts'

/** Requires a key or a trusted network, if there is access control. */
export function forKnownCallers(methods: RpcMethods): RpcMethods {
  const guarded = ([name, handler]: [string, RpcHandler]): [string, RpcHandler] => [
    name,
    (params, context) => {
      if (context.caller?.known !== false) return handler(params, context)
      throw new RpcError(
        RPC_ERROR_NUMBERS.server,
        `${name} is for the operator of this node: call it from a trusted network and not through a proxy (--rpc.trusted), or with an API key`,
      )
    },
  ]
  return Object.fromEntries(Object.entries(methods).map(guarded))
}
