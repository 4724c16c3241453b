import { type TraceContext, type TracerSlot, type TransactionTracer, type TxResult, traceTransaction } from '@keelson/evm'
import { type Address, type Block, type Transaction, toAddress } from '@keelson/primitives'
import type { RunningBudget } from '../limits/trace-budget.ts'
import type { ReadDependencies } from '../rpc-dependencies.ts'
import { replayBlock } from './block-replay.ts'

export interface TraceRun {
  /** Traces one transaction; null traces all. */
  readonly only: number | null
  readonly budget: RunningBudget
}

export interface TracedTransactionResult<T extends TransactionTracer> {
  readonly tx: Transaction
  readonly index: number
  readonly tracer: T
  readonly result: TxResult
  readonly context: TraceContext
}

/** Executes a block again. Throws `genesis is not traceable`, `missing trie node`, `execution timeout`. */
export async function* traceBlock<T extends TransactionTracer>(
  deps: ReadDependencies,
  block: Block,
  { only, budget }: TraceRun,
  create: (context: TraceContext) => T,
): AsyncGenerator<TracedTransactionResult<T>> {
  const slot: TracerSlot = { tracer: null }
  const { open, senderOf } = replayBlock(deps, block, slot)
  const { rules } = open
  const precompiles = precompilesAt(deps, rules)
  open.applySystemCalls()
  const last = only ?? block.transactions.length - 1
  for (const [index, tx] of block.transactions.slice(0, last + 1).entries()) {
    const sender = senderOf(index)
    if (only === null || index === only) {
      const place = { blockHash: block.hash, blockNumber: block.header.number, transactionHash: tx.hash, transactionIndex: index }
      const context = { rules, precompiles, place, budget }
      const tracer = create(context)
      const result = traceTransaction(open, slot, stoppable(tracer, budget), tx, sender, deps.crypto)
      yield { tx, index, tracer, result, context }
    } else open.applyTransaction(tx, sender)
    await budget.breathe()
  }
}

export function precompilesAt(deps: Pick<ReadDependencies, 'evm'>, rules: TraceContext['rules']): ReadonlySet<Address> {
  return new Set(deps.evm.precompiles(rules).map((address) => toAddress(address)))
}

export function stoppable(tracer: TransactionTracer, budget: RunningBudget): TransactionTracer {
  return {
    hooks: { ...tracer.hooks, stop: () => budget.stop() },
    start: (tx, state) => tracer.start(tx, state),
    end: (outcome) => tracer.end(outcome),
    result: () => tracer.result(),
  }
}
