import { type Address, formatData, formatQuantity, hexToBytes, parseAddress } from '@keelson/primitives'
import type { RpcMethods } from '@keelson/runtime'
import { argument, getBlock, LATEST, optionalArgument, parseBlockSelector, parseSlot } from '../params.ts'
import type { RpcDependencies } from '../rpc-dependencies.ts'
import { codeOf, getView } from '../state-view.ts'

export function stateMethods(deps: RpcDependencies): RpcMethods {
  const { chain, state, pool } = deps
  const viewFor = (params: readonly unknown[], index: number) =>
    getView(chain, state, getBlock(chain, optionalArgument(params, index, LATEST, parseBlockSelector)))
  const addressAt = (params: readonly unknown[], index = 0): Address => argument(params, index, parseAddress)

  return {
    eth_getBalance(params) {
      const address = addressAt(params)
      return formatQuantity(viewFor(params, 1).account(hexToBytes(address))?.balanceWei ?? 0n)
    },
    eth_getCode(params) {
      const address = addressAt(params)
      const view = viewFor(params, 1)
      return formatData(codeOf(view, view.account(hexToBytes(address))))
    },
    eth_getStorageAt(params) {
      const address = addressAt(params)
      const slot = argument(params, 1, parseSlot)
      return formatData(viewFor(params, 2).storage(hexToBytes(address), slot))
    },
    eth_getTransactionCount(params) {
      const address = addressAt(params)
      const nonce = viewFor(params, 1).account(hexToBytes(address))?.nonce ?? 0n
      const at = optionalArgument(params, 1, LATEST, parseBlockSelector)
      const pending = at.kind === 'tag' && at.tag === 'pending' ? pool.nextNonce(address) : null
      return formatQuantity(pending !== null && pending > nonce ? pending : nonce)
    },
    eth_accounts: () => [],
  }
}
