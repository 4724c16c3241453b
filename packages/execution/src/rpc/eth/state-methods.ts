import { type Address, formatData, formatQuantity, hexToBytes, parseAddress } from '@keelson/primitives'
import { argument, getBlock, LATEST, optionalArgument, parseBlockSelector, parseSlot } from '../params.ts'
import type { ChainDependencies } from '../rpc-dependencies.ts'
import { codeOf, getView } from '../state-view.ts'

/** `pending` is the head. */
export function stateMethods({ chain, state }: ChainDependencies) {
  const viewFor = (params: readonly unknown[], index: number) =>
    getView(chain, state, getBlock(chain, optionalArgument(params, index, LATEST, parseBlockSelector)))
  const addressAt = (params: readonly unknown[], index = 0): Address => argument(params, index, parseAddress)

  return {
    eth_getBalance(params: readonly unknown[]) {
      const address = addressAt(params)
      return formatQuantity(viewFor(params, 1).account(hexToBytes(address))?.balanceWei ?? 0n)
    },
    eth_getCode(params: readonly unknown[]) {
      const address = addressAt(params)
      const view = viewFor(params, 1)
      return formatData(codeOf(view, view.account(hexToBytes(address))))
    },
    eth_getStorageAt(params: readonly unknown[]) {
      const address = addressAt(params)
      const slot = argument(params, 1, parseSlot)
      return formatData(viewFor(params, 2).storage(hexToBytes(address), slot))
    },
    eth_getTransactionCount(params: readonly unknown[]) {
      const address = addressAt(params)
      return formatQuantity(viewFor(params, 1).account(hexToBytes(address))?.nonce ?? 0n)
    },
  }
}
