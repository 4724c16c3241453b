/** Executes the subblocks of one block on its parent, and compares the result with what each of them states. */
import { type HeaderSkeleton, type IncludedTx, type OpenBlock, openBlock } from '@keelson/evm'
import type { Bytes20, PostExecTransaction, Transaction } from '@keelson/primitives'
import type { StateView } from '@keelson/state'
import { blockSkeleton } from '../builder/block-skeleton.ts'
import { createFillDeadline, type FillDeadline } from '../builder/fill-deadline.ts'
import type { SealedHeader } from '../chain/chain-reader.ts'
import { type ExecutionContext, openOptions } from '../import/execution-context.ts'
import { encodePendingBlock, type PendingBlock, provisionalBlock } from './pending-block.ts'
import type { Subblock, SubblockBase } from './subblock.ts'

interface Executed {
  readonly skeleton: HeaderSkeleton
  readonly open: OpenBlock
  readonly deadline: FillDeadline
  /** The three lists are parallel. */
  readonly transactions: Transaction[]
  readonly senders: Bytes20[]
  readonly results: IncludedTx[]
}

export type SubblockOutcome = { readonly pending: PendingBlock } | { readonly problem: string }

export class SubblockExecution {
  readonly #context: ExecutionContext
  readonly #parent: SealedHeader
  readonly #view: StateView
  readonly #base: SubblockBase
  readonly #maxTransactionMs: number
  #executed: Executed | null = null
  /** Those of the stream, without a post-execution transaction. */
  #streamed: readonly Transaction[] = []
  #postExec: PostExecTransaction | null = null

  constructor(context: ExecutionContext, parent: SealedHeader, view: StateView, base: SubblockBase, maxTransactionMs: number) {
    this.#context = context
    this.#parent = parent
    this.#view = view
    this.#base = base
    this.#maxTransactionMs = maxTransactionMs
  }

  add({ transactions, postExec, gasUsed, receiptsRoot }: Subblock): SubblockOutcome {
    const before = this.#executed
    // Refunds change transactions that were executed before, so the block starts over.
    const startsOver = before === null || postExec !== null || this.#postExec !== null
    this.#streamed = [...this.#streamed, ...transactions]
    this.#postExec = postExec
    // The gas used and the receipts root are those of a block that ends with the post-execution transaction.
    const all = postExec === null ? this.#streamed : [...this.#streamed, postExec]
    const executed = startsOver ? this.#open(all) : before
    if ('problem' in executed) return executed
    this.#executed = executed
    const problem = this.#apply(executed, startsOver ? all : transactions)
    if (problem !== null) return { problem }
    const provisional = provisionalBlock({ ...executed, extraData: this.#base.extraData, withdrawals: [] })
    const { header } = provisional.block
    if (header.gasUsed !== gasUsed) return { problem: `gas used is ${header.gasUsed}, and the subblock says ${gasUsed}` }
    if (header.receiptsRoot !== receiptsRoot)
      return { problem: `the receipts root is ${header.receiptsRoot}, and the subblock says ${receiptsRoot}` }
    return { pending: encodePendingBlock(provisional, executed.open.session.takeDiff()) }
  }

  #open(known: readonly Transaction[]): Executed | { readonly problem: string } {
    const { baseFeeWei } = this.#base
    const rules = this.#context.rules.rulesAt(this.#base)
    const skeleton = blockSkeleton(this.#parent, this.#base, rules)
    if (skeleton.baseFeeWei !== baseFeeWei)
      return { problem: `the base fee is ${skeleton.baseFeeWei} wei, and the first subblock says ${baseFeeWei}` }
    const deadline = createFillDeadline(this.#context.clock, this.#maxTransactionMs, () => false)
    const open = openBlock({
      ...openOptions(this.#context, this.#parent, this.#view),
      header: skeleton,
      rules,
      transition: this.#context.rules.transitionAt(this.#parent.header, skeleton),
      withdrawals: [],
      transactions: known,
      session: { tracer: { stop: () => deadline.stop() } },
    })
    deadline.run(() => open.applySystemCalls())
    return { skeleton, open, deadline, transactions: [], senders: [], results: [] }
  }

  #apply({ open, deadline, transactions, senders, results }: Executed, added: readonly Transaction[]): string | null {
    const recovered = this.#context.senders.recoverAll(added)
    for (const [i, tx] of added.entries()) {
      const sender = recovered.at(i)
      if (sender === null) return `transaction ${tx.hash} has no valid signature`
      const result = deadline.run(() => open.applyTransaction(tx, sender))
      if (result === null) return `transaction ${tx.hash} ran longer than ${this.#maxTransactionMs} ms`
      if (result.kind === 'rejected') return `transaction ${tx.hash} cannot be included: ${result.reason}: ${result.message}`
      transactions.push(tx)
      senders.push(sender)
      results.push(result)
    }
    return null
  }
}
