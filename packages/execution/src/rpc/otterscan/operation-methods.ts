import { type CallFrame, callEntries, createCallTree, internalOperations } from '@keelson/evm'
import { parseHash } from '@keelson/primitives'
import type { RpcContext } from '@keelson/runtime'
import { traceBlock } from '../debug/trace-block.ts'
import { locate } from '../eth/chain-methods.ts'
import type { ReadMethods } from '../limits/read-lanes.ts'
import { createTraceBudget } from '../limits/trace-budget.ts'
import { argument } from '../params.ts'
import type { ReadDependencies } from '../rpc-dependencies.ts'

export function operationMethods(
  deps: ReadDependencies,
): Pick<ReadMethods, 'ots_getInternalOperations' | 'ots_traceTransaction' | 'ots_getTransactionError'> {
  const { options } = deps
  const callsOf = async (params: readonly unknown[], { signal }: RpcContext): Promise<CallFrame | null> => {
    const at = locate(deps, argument(params, 0, parseHash))
    if (at === null) return null
    const budget = createTraceBudget(deps.clock, { timeoutMs: options.traceTimeoutMs, maxBytes: options.maxTraceBytes, signal })
    for await (const { tracer } of traceBlock(deps, at.block, { only: at.index, budget }, createCallTree)) return tracer.root
    return null
  }
  return {
    async ots_getInternalOperations(params, context) {
      const root = await callsOf(params, context)
      return root === null ? null : internalOperations(root)
    },
    async ots_traceTransaction(params, context) {
      const root = await callsOf(params, context)
      return root === null ? null : callEntries(root)
    },
    async ots_getTransactionError(params, context) {
      const root = await callsOf(params, context)
      return root === null ? null : root.error === null ? '0x' : root.output
    },
  }
}
