/** Transactions of the chain and of the pool. */
import { formatData, formatQuantity, parseAddress, parseHash } from '@keelson/primitives'
import type { RpcMethods } from '@keelson/runtime'
import { pendingTransactionToJson } from '../block-json.ts'
import { argument, LATEST, optionalArgument, parseBlockSelector } from '../params.ts'
import type { RpcDependencies } from '../rpc-dependencies.ts'
import { locate, rawAt, transactionAt } from './chain-methods.ts'
import { stateMethods } from './state-methods.ts'

export function transactionMethods(deps: RpcDependencies): RpcMethods {
  const { pool } = deps
  const { eth_getTransactionCount: countInState } = stateMethods(deps)
  return {
    eth_getTransactionByHash(params) {
      const hash = argument(params, 0, parseHash)
      const at = locate(deps, hash)
      if (at !== null) return transactionAt(deps, at.block, at.index)
      const waiting = pool.find(hash)
      return waiting === null ? null : pendingTransactionToJson(waiting.tx, waiting.sender)
    },
    eth_getRawTransactionByHash(params) {
      const hash = argument(params, 0, parseHash)
      const at = locate(deps, hash)
      if (at !== null) return rawAt(at.block, at.index)
      const waiting = pool.find(hash)
      return waiting === null ? null : formatData(waiting.tx.raw)
    },
    eth_getTransactionCount(params) {
      const counted = countInState(params)
      const at = optionalArgument(params, 1, LATEST, parseBlockSelector)
      const pending = at.kind === 'tag' && at.tag === 'pending' ? pool.nextNonce(argument(params, 0, parseAddress)) : null
      return pending !== null && pending > BigInt(counted) ? formatQuantity(pending) : counted
    },
  }
}
