/** Transactions of the chain and of the pool. */
import { formatData, formatQuantity, type Hash, parseAddress, parseHash, parseQuantity64 } from '@keelson/primitives'
import { jsonValue, type RpcHandler, type RpcMethods } from '@keelson/runtime'
import { pendingTransactionToJson } from '../block-json.ts'
import { argument, LATEST, optionalArgument, parseBlockSelector } from '../params.ts'
import type { ChainDependencies, RpcDependencies } from '../rpc-dependencies.ts'
import { locate, rawAt, transactionAt } from './chain-methods.ts'
import { stateMethods } from './state-methods.ts'

/** `findByNonce` returns the hash of a transaction of the chain. */
export function transactionMethods(deps: ChainDependencies & Pick<RpcDependencies, 'pool'>, findByNonce: RpcHandler): RpcMethods {
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
    async eth_getTransactionBySenderAndNonce(params, context) {
      const sender = argument(params, 0, parseAddress)
      const nonce = argument(params, 1, (value) => parseQuantity64(value, 'nonce'))
      const { pending, queued } = pool.ofSender(sender)
      const waiting = [...pending, ...queued].find(({ tx }) => tx.nonce === nonce)
      if (waiting !== undefined) return pendingTransactionToJson(waiting.tx, waiting.sender)
      if (nonce > BigInt(Number.MAX_SAFE_INTEGER)) return null
      const hash = jsonValue(await findByNonce([sender, Number(nonce)], context))
      const at = hash === null ? null : locate(deps, hash as Hash)
      return at === null ? null : transactionAt(deps, at.block, at.index)
    },
    eth_getTransactionCount(params) {
      const counted = countInState(params)
      const at = optionalArgument(params, 1, LATEST, parseBlockSelector)
      const pending = at.kind === 'tag' && at.tag === 'pending' ? pool.nextNonce(argument(params, 0, parseAddress)) : null
      return pending !== null && pending > BigInt(counted) ? formatQuantity(pending) : counted
    },
  }
}
