/** Methods that change the node, on a port that strangers reach too. */
import { RPC_ERROR_NUMBERS, RpcError } from '../rpc-error.ts'
import type { RpcHandler, RpcMethods } from '../rpc-method.ts'

/** The same methods, answered for holders of a key and callers from trusted networks only; a server without access has no strangers. */
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
