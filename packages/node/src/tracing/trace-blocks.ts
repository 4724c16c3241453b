import type { ExecutionNode } from '@keelson/execution'
import { type Clock, toHash } from '@keelson/primitives'
import type { Tracing } from './open-tracing.ts'

/** Records `execute`: the execution of a block with its state root. */
export function traceBlocks(node: Pick<ExecutionNode, 'onBlock'>, tracing: Pick<Tracing, 'record'>, clock: Pick<Clock, 'nowMs'>): void {
  node.onBlock(({ number, hash, elapsedMs, transactions, gasUsed }) => {
    if (elapsedMs === null) return
    const endMs = clock.nowMs()
    const facts = { transactions, gasUsed: Number(gasUsed) }
    tracing.record({ step: 'execute', block: { number, hash: toHash(hash) }, startMs: endMs - elapsedMs, endMs, facts })
  })
}
