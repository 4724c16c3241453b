import { ethParameters } from '@keelson/chainspec'
import { createViewOverlay, type OpenBlock, openBlock, type SessionOptions, type StateView } from '@keelson/evm'
import { type Block, type Bytes20, isDeposit, recoverSender, type StateDiff, ZERO_HASH } from '@keelson/primitives'
import { rpcError, serverError } from '../errors.ts'
import type { ReadDependencies } from '../rpc-dependencies.ts'
import { getView } from '../state-view.ts'

export interface BlockReplay {
  readonly open: OpenBlock
  readonly before: StateView
  senderOf(index: number): Bytes20
}

export type ReplayDependencies = Pick<ReadDependencies, 'chain' | 'state' | 'rules' | 'chainId' | 'evm' | 'crypto'>

/** The parent must be stored. Throws `genesis is not traceable` or `missing trie node`. */
export function replayBlock(deps: ReplayDependencies, block: Block, session?: SessionOptions): BlockReplay {
  const { chain, crypto } = deps
  const { parentHash, number } = block.header
  const parentHeader = chain.header(parentHash)
  if (parentHeader === null) throw number === 0 ? rpcError('genesisNotTraceable') : serverError(`parent ${parentHash} not found`)
  const parent = { hash: parentHash, header: parentHeader }
  const receipts = chain.receipts(block.hash) ?? []
  const rules = deps.rules.rulesAt(block.header)
  const { lowSignatures } = ethParameters(rules.ethFork)
  const before = getView(chain, deps.state, parent)
  const open = openBlock({
    engine: deps.evm,
    view: before,
    header: block.header,
    rules,
    transition: deps.rules.transitionAt(parentHeader, block.header),
    chainId: deps.chainId,
    crypto,
    blockHash: (wanted) => chain.ancestorHash(parent, wanted),
    withdrawals: block.withdrawals,
    transactions: block.transactions,
    rootOf: () => ZERO_HASH,
    ...(session === undefined ? {} : { session }),
  })
  return {
    open,
    before,
    senderOf(index) {
      const tx = block.transactions[index]
      if (tx === undefined) throw serverError(`transaction index ${index} out of range for block ${block.hash}`)
      const sender = receipts[index]?.sender ?? (isDeposit(tx) ? tx.from : recoverSender(tx, crypto, lowSignatures))
      if (sender === null) throw serverError(`transaction ${tx.hash} has no valid signature`)
      return sender
    },
  }
}

export interface ReplayedStart {
  readonly parent: StateView
  readonly diff: StateDiff
}

/** Replays the block up to transaction `index`; the transaction count selects all of them. */
export async function replayBefore(
  deps: ReplayDependencies,
  block: Block,
  index: number,
  breathe: () => Promise<void>,
): Promise<ReplayedStart> {
  if (index > block.transactions.length) throw serverError(`transaction index ${index} out of range for block ${block.hash}`)
  const { open, before, senderOf } = replayBlock(deps, block)
  open.applySystemCalls()
  for (const [i, tx] of block.transactions.slice(0, index).entries()) {
    open.applyTransaction(tx, senderOf(i))
    await breathe()
  }
  return { parent: before, diff: open.session.takeDiff() }
}

/** Returns the state before transaction `index`. */
export async function stateBefore(...args: Parameters<typeof replayBefore>): Promise<StateView> {
  const { parent, diff } = await replayBefore(...args)
  const overlay = createViewOverlay(parent)
  overlay.apply(diff)
  return overlay
}
