/** Answers questions about the block that is being built as if it were the head. specs: protocol/subblocks.md#json-rpc */
import { createViewOverlay } from '@keelson/evm'
import { type Hash, isGiven, ZERO_HASH } from '@keelson/primitives'
import type { StateView } from '@keelson/state'
import type { ChainReader } from '../chain/chain-reader.ts'
import type { ViewSource } from '../rpc/state-view.ts'
import { type OpenPendingBlock, openPendingBlock, type PendingBlock } from './pending-block.ts'

export interface ChainAndState {
  readonly chain: ChainReader
  readonly state: ViewSource
}

/** Where the methods of the specification, and those that read the same block in other forms, take their block. */
const BLOCK_ARGUMENT: Readonly<Record<string, number>> = {
  eth_call: 1,
  eth_createAccessList: 1,
  eth_estimateGas: 1,
  eth_getBalance: 1,
  eth_getBlockByNumber: 0,
  eth_getBlockTransactionCountByNumber: 0,
  eth_getCode: 1,
  eth_getHeaderByNumber: 0,
  eth_getRawTransactionByBlockNumberAndIndex: 0,
  eth_getStorageAt: 2,
  eth_getTransactionByBlockNumberAndIndex: 0,
  eth_getTransactionCount: 1,
}

/** They name a transaction, which may be in the block that is being built. */
const BY_TRANSACTION: ReadonlySet<string> = new Set([
  'eth_getRawTransactionByHash',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
])

/** True if the answer may depend on the block that is being built. */
export function readsPending(method: string, params: unknown): boolean {
  if (BY_TRANSACTION.has(method)) return true
  const place = BLOCK_ARGUMENT[method]
  if (place === undefined || !Array.isArray(params)) return false
  const value: unknown = params[place]
  if (typeof value !== 'object') return value === 'pending'
  return isGiven(value) && (value as { blockNumber?: unknown }).blockNumber === 'pending'
}

/** The same chain and state unless `pending` is built on its head. */
export function withPending<T extends ChainAndState>(base: T, pending: PendingBlock | null): Omit<T, 'state'> & ChainAndState {
  if (pending === null || pending.parentHash !== base.chain.label('unsafe').hash) return base
  const parent = base.state.viewAt(pending.parentHash)
  if (parent === null) return base
  const viewAt = (hash: Hash) => (hash === ZERO_HASH ? viewAfter(parent, pending) : base.state.viewAt(hash))
  const { disk, oldestHistory } = base.state
  const state: ViewSource = { viewAt, viewAtNumber: (number) => base.state.viewAtNumber(number), disk, oldestHistory }
  return { ...base, chain: chainWith(base.chain, openPendingBlock(pending)), state }
}

function viewAfter(parent: StateView, { diff }: PendingBlock): StateView {
  const view = createViewOverlay(parent)
  view.apply(diff)
  return view
}

function chainWith(chain: ChainReader, { block, receipts, indexOf }: OpenPendingBlock): ChainReader {
  const { header } = block
  const head = chain.label('unsafe')
  return {
    ...chain,
    label: (label) => (label === 'unsafe' ? block : chain.label(label)),
    header: (hash) => (hash === ZERO_HASH ? header : chain.header(hash)),
    block: (hash) => (hash === ZERO_HASH ? block : chain.block(hash)),
    receipts: (hash) => (hash === ZERO_HASH ? receipts : chain.receipts(hash)),
    canonicalHash: (number) => (number === header.number ? ZERO_HASH : chain.canonicalHash(number)),
    isCanonical: (at) => at.hash === ZERO_HASH || chain.isCanonical(at),
    locate(hash) {
      const before = chain.locate(hash)
      if (before !== null) return before
      const index = indexOf(hash)
      return index === null ? null : { blockNumber: header.number, index }
    },
    ancestorHash: (from, number) => chain.ancestorHash(from.hash === ZERO_HASH && number < header.number ? head : from, number),
  }
}
