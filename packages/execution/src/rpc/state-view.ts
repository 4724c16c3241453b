/** Throws `missing trie node` when the state is pruned, and `the state is being fetched` before there is one. */
import { type Account, EMPTY_CODE_HASH_BYTES, equalBytes } from '@keelson/primitives'
import type { RpcError } from '@keelson/runtime'
import type { StateReads, StateView } from '@keelson/state'
import type { ChainReader, SealedHeader } from '../chain/chain-reader.ts'
import { rpcError } from './errors.ts'

export type ViewSource = Pick<StateReads, 'viewAt' | 'viewAtNumber' | 'disk' | 'oldestHistory'>

export function getView(chain: ChainReader, state: ViewSource, block: SealedHeader): StateView {
  const view = state.viewAt(block.hash) ?? (chain.isCanonical(block) ? state.viewAtNumber(block.header.number) : null)
  if (view === null) throw stateUnavailable(state, block)
  return view
}

/** Indexers and relays recognize geth's text. */
export function stateUnavailable(state: ViewSource, { header, hash }: SealedHeader): RpcError {
  if (state.disk === null) return rpcError('stateSyncing')
  const oldest = state.oldestHistory ?? header.number
  return rpcError(
    'missingTrieNode',
    ` ${header.stateRoot.slice(2)} (path ) state ${header.stateRoot} is not available: historical state of block ${header.number} (${hash}) is not kept, the oldest kept is block ${oldest}`,
  )
}

export function codeOf(view: StateView, account: Account | null): Uint8Array {
  if (account === null || equalBytes(account.codeHash, EMPTY_CODE_HASH_BYTES)) return new Uint8Array(0)
  return view.code(account.codeHash)
}
