/** A block under construction: the open block, and what the builder decided so far. */
import { type HeaderSkeleton, type IncludedTx, type OpenBlock, openBlock } from '@keelson/evm'
import type { Bytes20, Hash, Transaction } from '@keelson/primitives'
import { type ExecutionContext, openOptions } from '../import/execution-context.ts'
import type { PooledTransaction } from '../txpool/pool-types.ts'
import { tipWei } from '../txpool/selection.ts'
import { blockSkeleton } from './block-skeleton.ts'
import type { FillDeadline } from './fill-deadline.ts'
import type { PayloadRequest } from './payload-request.ts'

export interface Draft {
  readonly skeleton: HeaderSkeleton
  readonly open: OpenBlock
  readonly deadline: FillDeadline
  /** The three lists are parallel. */
  readonly transactions: Transaction[]
  readonly senders: Bytes20[]
  readonly results: IncludedTx[]
  readonly included: Set<Hash>
  readonly refused: Set<Hash>
  daBytes: bigint
  full: boolean
  lowestTipWei: bigint | null
  readonly beganMs: number
}

/** Returns the reason in `invalid` if one of the given transactions is invalid. */
export function openDraft(
  request: PayloadRequest,
  context: ExecutionContext,
  deadline: FillDeadline,
): Draft | { readonly invalid: string } {
  const { parent, view, rules, attributes } = request
  const skeleton = blockSkeleton(parent, attributes, rules)
  const open = openBlock({
    ...openOptions(context, parent, view),
    header: skeleton,
    rules,
    transition: context.rules.transitionAt(parent.header, skeleton),
    withdrawals: attributes.withdrawals,
    transactions: request.given.map(({ tx }) => tx),
    session: { tracer: { stop: () => deadline.stop() } },
  })
  open.applySystemCalls()
  const draft: Draft = {
    skeleton,
    open,
    deadline,
    transactions: [],
    senders: [],
    results: [],
    included: new Set(),
    refused: new Set(),
    daBytes: 0n,
    full: false,
    lowestTipWei: null,
    beganMs: context.clock.monotonicMs(),
  }
  for (const [i, { tx, sender }] of request.given.entries()) {
    const result = open.applyTransaction(tx, sender)
    if (result.kind === 'rejected')
      return { invalid: `transaction ${i} [${tx.hash}] cannot be included: ${result.reason}: ${result.message}` }
    include(draft, tx, sender, result)
  }
  return draft
}

function include(draft: Draft, tx: Transaction, sender: Bytes20, result: IncludedTx): void {
  draft.transactions.push(tx)
  draft.senders.push(sender)
  draft.results.push(result)
  draft.included.add(tx.hash)
}

export function includePooled(draft: Draft, pooled: PooledTransaction, result: IncludedTx): void {
  include(draft, pooled.tx, pooled.senderBytes, result)
  const tip = tipWei(pooled, draft.open.session.env.baseFeeWei)
  if (draft.lowestTipWei === null || tip < draft.lowestTipWei) draft.lowestTipWei = tip
}

/** Executes the same transactions in the same order in a new draft. Null if one is rejected now. */
export function repeatDraft(from: Draft, to: Draft): Draft | null {
  for (let i = to.transactions.length; i < from.transactions.length; i++) {
    const [tx, sender] = [from.transactions[i] as Transaction, from.senders[i] as Bytes20]
    const result = to.open.applyTransaction(tx, sender)
    if (result.kind === 'rejected') return null
    include(to, tx, sender, result)
  }
  to.daBytes = from.daBytes
  to.full = from.full
  to.lowestTipWei = from.lowestTipWei
  for (const hash of from.refused) to.refused.add(hash)
  return to
}
