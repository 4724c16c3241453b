import { ethParameters } from '@keelson/chainspec'
import { executeBlock, validateHeader, verifyExecution } from '@keelson/evm'
import {
  type Block,
  bytesToHex,
  EMPTY_TRIE_ROOT,
  type Hash,
  type Header,
  hexToBytes,
  L2_TO_L1_MESSAGE_PASSER,
  toHash,
} from '@keelson/primitives'
import type { ComputedState, StateView } from '@keelson/state'
import type { SealedHeader } from '../chain/chain-reader.ts'
import { type ExecutedBlock, storedReceipts } from './executed-block.ts'
import { type ExecutionContext, openOptions } from './execution-context.ts'
import { prefetchBlock } from './prefetch-block.ts'

export type CheckedExecution =
  | { readonly kind: 'executed'; readonly executed: ExecutedBlock }
  | { readonly kind: 'invalid'; readonly reason: string }

const MESSAGE_PASSER = hexToBytes(L2_TO_L1_MESSAGE_PASSER)

/** Returns the header's withdrawals root from Isthmus on. */
export function messagePasserRoot(computed: Pick<ComputedState, 'storageRoot'>): Hash {
  const root = computed.storageRoot(MESSAGE_PASSER)
  return root === null ? EMPTY_TRIE_ROOT : toHash(root)
}

export async function executeChecked(
  context: ExecutionContext,
  block: Block,
  parent: SealedHeader,
  view: StateView,
  ommers: readonly Header[] = [],
): Promise<CheckedExecution> {
  const invalid = (reason: string): CheckedExecution => ({ kind: 'invalid', reason })
  const beganMs = context.clock.monotonicMs()
  const { header } = block
  const rules = context.rules.rulesAt(header)
  const problem = validateHeader(header, parent.header, rules)
  if (problem !== null) return invalid(problem.message)
  const { lowSignatures } = ethParameters(rules.ethFork)
  const senders = context.senders.recoverAll(block.transactions, lowSignatures)
  const prefetch = prefetchBlock(context.state, parent.hash, block.transactions, senders)
  await prefetch?.accounts
  const outcome = executeBlock({
    ...openOptions(context, parent, view),
    header,
    rules,
    transition: context.rules.transitionAt(parent.header, header),
    withdrawals: block.withdrawals,
    ommers: ommers.map(({ number, feeRecipient }) => ({ number, feeRecipient: hexToBytes(feeRecipient) })),
    rootOf: (diff) => toHash(context.state.rootOf(parent.hash, diff).root),
    transactions: block.transactions,
    senders,
  })
  if (outcome.kind === 'invalid') {
    const hash = outcome.txIndex === null ? null : block.transactions[outcome.txIndex]?.hash
    if (outcome.reason === 'sender') return invalid(`block ${header.number}: transaction ${outcome.txIndex} (${hash}): invalid sender`)
    const what = hash === null ? 'could not execute' : `could not apply tx ${outcome.txIndex} [${hash}]`
    return invalid(`block ${header.number}: ${what}: ${outcome.reason}: ${outcome.message}`)
  }
  const { result } = outcome
  const mismatch = verifyExecution(header, result)
  if (mismatch !== null) return invalid(mismatch.message)
  await prefetch?.nodes
  const computed = context.state.rootOf(parent.hash, result.diff)
  const stateRoot = bytesToHex(computed.root)
  if (stateRoot !== header.stateRoot) {
    return invalid(`block ${header.number}: state-root: expected ${stateRoot}, got ${header.stateRoot}`)
  }
  if (rules.withdrawals === 'storage-root') {
    const expected = messagePasserRoot(computed)
    if (expected !== header.withdrawalsRoot) {
      return invalid(`block ${header.number}: withdrawals-root: expected ${expected}, got ${header.withdrawalsRoot}`)
    }
  }
  const elapsedMs = context.clock.monotonicMs() - beganMs
  return {
    kind: 'executed',
    executed: { block, receipts: storedReceipts(result, senders), diff: result.diff, computed, elapsedMs },
  }
}
