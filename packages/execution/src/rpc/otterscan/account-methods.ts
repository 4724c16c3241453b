/** Finds a block by halving the kept history. */
import { type CallFrame, createCallTree, type StateView } from '@keelson/evm'
import { type Address, EMPTY_CODE_HASH_BYTES, equalBytes, hexToBytes, isSigned, parseAddress } from '@keelson/primitives'
import type { RpcContext } from '@keelson/runtime'
import { traceBlock } from '../debug/trace-block.ts'
import type { ReadMethods } from '../limits/read-lanes.ts'
import { createTraceBudget } from '../limits/trace-budget.ts'
import { argument, getBlock, LATEST, optionalArgument, parseBlockSelector } from '../params.ts'
import type { ReadDependencies } from '../rpc-dependencies.ts'
import { getView, stateUnavailable } from '../state-view.ts'
import { parseCount } from './parse-count.ts'

const API_LEVEL = 8

export function accountMethods(
  deps: ReadDependencies,
): Pick<ReadMethods, 'ots_getApiLevel' | 'ots_hasCode' | 'ots_getTransactionBySenderAndNonce' | 'ots_getContractCreator'> {
  const { chain, state } = deps
  return {
    ots_getApiLevel: () => API_LEVEL,
    ots_hasCode(params) {
      const address = argument(params, 0, parseAddress)
      return hasCode(getView(chain, state, getBlock(chain, optionalArgument(params, 1, LATEST, parseBlockSelector))), address)
    },
    ots_getTransactionBySenderAndNonce(params) {
      const address = argument(params, 0, parseAddress)
      const nonce = BigInt(argument(params, 1, parseCount))
      const number = firstBlock(deps, (view) => (view.account(hexToBytes(address))?.nonce ?? 0n) > nonce)
      const hash = number === null ? null : chain.canonicalHash(number)
      const block = hash === null ? null : chain.block(hash)
      if (block === null) return null
      const receipts = chain.receipts(block.hash) ?? []
      const index = block.transactions.findIndex((tx, i) => {
        const stored = receipts[i]
        const used = stored === undefined ? null : isSigned(tx) ? tx.nonce : stored.receipt.depositNonce
        return used === nonce && stored !== undefined && equalBytes(stored.sender, hexToBytes(address))
      })
      return block.transactions[index]?.hash ?? null
    },
    async ots_getContractCreator(params, context) {
      const address = argument(params, 0, parseAddress)
      const number = firstBlock(deps, (view) => hasCode(view, address))
      return number === null || number === 0 ? null : findCreation(deps, number, address, context)
    },
  }
}

function hasCode(view: StateView, address: Address): boolean {
  const account = view.account(hexToBytes(address))
  return account !== null && !equalBytes(account.codeHash, EMPTY_CODE_HASH_BYTES)
}

/** Null if the head does not satisfy `isTrue`. Throws `missing trie node` if the oldest kept state does, unless that is genesis. */
function firstBlock({ chain, state }: ReadDependencies, isTrue: (view: StateView) => boolean): number | null {
  const head = chain.label('unsafe')
  const viewAt = (number: number) => {
    const hash = chain.canonicalHash(number)
    return getView(chain, state, hash === null ? head : getBlock(chain, { kind: 'hash', hash, requireCanonical: false }))
  }
  if (!isTrue(getView(chain, state, head))) return null
  let low = state.oldestHistory ?? head.header.number
  let high = head.header.number
  if (isTrue(viewAt(low))) {
    if (low === 0) return 0
    throw stateUnavailable(state, getBlock(chain, { kind: 'number', number: low - 1 }))
  }
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2)
    if (isTrue(viewAt(middle))) high = middle
    else low = middle
  }
  return high
}

async function findCreation(deps: ReadDependencies, number: number, address: Address, { signal }: RpcContext) {
  const { chain, options } = deps
  const hash = chain.canonicalHash(number)
  const block = hash === null ? null : chain.block(hash)
  if (block === null) return null
  const budget = createTraceBudget(deps.clock, { timeoutMs: options.traceTimeoutMs, maxBytes: options.maxTraceBytes, signal })
  for await (const { tx, tracer } of traceBlock(deps, block, { only: null, budget }, createCallTree)) {
    const creation = tracer.root === null ? null : creationIn(tracer.root, address)
    if (creation !== null) return { hash: tx.hash, creator: creation.from }
  }
  return null
}

function creationIn(frame: CallFrame, address: Address): CallFrame | null {
  if (frame.error !== null) return null
  if ((frame.kind === 'create' || frame.kind === 'create2') && frame.to === address) return frame
  for (const call of frame.calls) {
    const found = creationIn(call, address)
    if (found !== null) return found
  }
  return null
}
