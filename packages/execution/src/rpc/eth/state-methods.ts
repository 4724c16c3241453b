/** eth_* methods that read accounts and storage at a block. */
import {
  type Account,
  type Address,
  EMPTY_CODE_HASH_BYTES,
  equalBytes,
  formatData,
  formatQuantity,
  hexToBytes,
  parseAddress,
} from '@keelson/primitives'
import type { RpcError, RpcMethods } from '@keelson/runtime'
import type { StateReads, StateView } from '@keelson/state'
import type { ChainReader, SealedHeader } from '../../chain/chain-store.ts'
import { rpcError } from '../errors.ts'
import { argument, getBlock, LATEST, optionalArgument, parseBlockSelector } from '../params.ts'
import type { RpcDependencies } from '../rpc-dependencies.ts'
import { parseSlot } from './proof-methods.ts'

/** Returns the state after a block from diff layers, disk or history. Throws `missing trie node` when it is pruned. */
export function getView(chain: ChainReader, state: StateReads, block: SealedHeader): StateView {
  const view = state.viewAt(block.hash) ?? (chain.isCanonical(block) ? state.viewAtNumber(block.header.number) : null)
  if (view === null) throw stateUnavailable(state, block)
  return view
}

/** Indexers and relays recognize geth's text for a pruned state; the oldest block is added for people. */
export function stateUnavailable(state: StateReads, { header, hash }: SealedHeader): RpcError {
  const oldest = state.oldestHistory ?? header.number
  return rpcError(
    'missingTrieNode',
    ` ${header.stateRoot.slice(2)} (path ) state ${header.stateRoot} is not available: historical state of block ${header.number} (${hash}) is not kept, the oldest kept is block ${oldest}`,
  )
}

/** Returns empty bytes for an account without code. */
export function codeOf(view: StateView, account: Account | null): Uint8Array {
  if (account === null || equalBytes(account.codeHash, EMPTY_CODE_HASH_BYTES)) return new Uint8Array(0)
  return view.code(account.codeHash)
}

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
