/** Short methods that read the chain and its state at one point in time, without the pool. */
import type { RpcMethods } from '@keelson/runtime'
import { limitArguments } from './argument-counts.ts'
import { chainMethods } from './eth/chain-methods.ts'
import { feeMethods } from './eth/fee-methods.ts'
import { stateMethods } from './eth/state-methods.ts'
import { netMethods } from './node/net-methods.ts'
import type { ChainDependencies, RpcDependencies } from './rpc-dependencies.ts'

export type PointDependencies = ChainDependencies & Pick<RpcDependencies, 'version'>

export function pointMethods(deps: PointDependencies): RpcMethods {
  return limitArguments({ ...chainMethods(deps), ...stateMethods(deps), ...feeMethods(deps), ...netMethods(deps) })
}

/** The nonce behind the pool's transactions. */
export function needsPool(method: string, params: unknown): boolean {
  return method === 'eth_getTransactionCount' && Array.isArray(params) && params[1] === 'pending'
}
