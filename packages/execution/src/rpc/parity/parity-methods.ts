/** OpenEthereum's trace module. */
import {
  type CallFrame,
  type CallTree,
  createCallTree,
  createMuxTracer,
  createStateDiffTracer,
  parityTraces,
  type SimulationContext,
  simulateCall,
  type TraceContext,
  type TransactionTracer,
} from '@keelson/evm'
import { type Block, parseHash, parseJsonArray, parseQuantityNumber } from '@keelson/primitives'
import type { RpcContext } from '@keelson/runtime'
import type { SealedHeader } from '../../chain/chain-reader.ts'
import { precompilesAt, stoppable, traceBlock } from '../debug/trace-block.ts'
import { rejectionError, rpcError } from '../errors.ts'
import { prepareCall } from '../eth/call-context.ts'
import { locate } from '../eth/chain-methods.ts'
import type { ReadMethod, ReadMethods } from '../limits/read-lanes.ts'
import { createTraceBudget, type RunningBudget } from '../limits/trace-budget.ts'
import { argument, findBlock, getBlock, parseBlockSelector } from '../params.ts'
import type { ReadDependencies } from '../rpc-dependencies.ts'
import { parseTraceFilter, parseTraceTypes, type WantedTraces } from './parity-request.ts'

type ParityMethod = Extract<ReadMethod, `trace_${string}`>

const TRACE_BYTES = 400

export function parityMethods(deps: ReadDependencies): Pick<ReadMethods, ParityMethod> {
  const { chain, options } = deps
  const budgetOf = ({ signal }: RpcContext, timeoutMs = options.traceTimeoutMs): RunningBudget =>
    createTraceBudget(deps.clock, { timeoutMs, maxBytes: options.maxTraceBytes, signal })

  const localized = async (block: Block, only: number | null, budget: RunningBudget): Promise<readonly LocalizedTrace[]> => {
    const traces: LocalizedTrace[] = []
    if (block.header.number === 0) return traces
    for await (const { tracer, context } of traceBlock(deps, block, { only, budget }, createCallTree))
      traces.push(...localize(tracer, context, budget))
    return traces
  }
  const blockOf = (params: readonly unknown[]): Block | null => {
    const found = findBlock(chain, argument(params, 0, parseBlockSelector))
    return found === null ? null : chain.block(found.hash)
  }
  const transactionTraces = async (params: readonly unknown[], context: RpcContext) => {
    const at = locate(deps, argument(params, 0, parseHash))
    return at === null ? null : localized(at.block, at.index, budgetOf(context))
  }

  const replay = async (block: Block, only: number | null, types: WantedTraces, context: RpcContext) => {
    const budget = budgetOf(context)
    const results: (FullTrace & { readonly transactionHash: string })[] = []
    for await (const { tx, tracer, context: at } of traceBlock(deps, block, { only, budget }, (of) => createFullTracer(types, of)))
      results.push({ ...fullTrace(tracer, types, at), transactionHash: tx.hash })
    return results
  }

  return {
    async trace_block(params, context) {
      const block = blockOf(params)
      return block === null ? null : localized(block, null, budgetOf(context))
    },
    trace_transaction: transactionTraces,
    async trace_get(params, context) {
      argument(params, 0, parseHash)
      const path = argument(params, 1, (value) => parseJsonArray(value, 'trace address', parseQuantityNumber)).join()
      return (await transactionTraces(params, context))?.find(({ traceAddress }) => traceAddress.join() === path) ?? null
    },
    async trace_replayTransaction(params, context) {
      const at = locate(deps, argument(params, 0, parseHash))
      const types = argument(params, 1, parseTraceTypes)
      if (at === null) return null
      const [found] = await replay(at.block, at.index, types, context)
      if (found === undefined) return null
      const { transactionHash: _, ...full } = found
      return full
    },
    async trace_replayBlockTransactions(params, context) {
      const block = blockOf(params)
      const types = argument(params, 1, parseTraceTypes)
      return block === null ? null : replay(block, null, types, context)
    },
    async trace_call(params, context) {
      const prepared = prepareCall(deps, [params[0], params[2]])
      const types = argument(params, 1, parseTraceTypes)
      const { rules } = prepared.context
      const budget = budgetOf(context)
      const at = { rules, precompiles: precompilesAt(deps, rules), place: null, budget }
      const tracer = createFullTracer(types, at)
      const traced: SimulationContext = { ...prepared.context, tracer: stoppable(tracer, budget) }
      const result = simulateCall(traced, prepared.call(prepared.gasLimit))
      if (result.kind === 'rejected') throw rejectionError({ reason: result.reason, detail: result.message })
      return fullTrace(tracer, types, at)
    },
    async trace_filter(params, context) {
      const filter = argument(params, 0, (value) => parseTraceFilter(value, options.maxFilterTerms))
      const [first, last] = [getBlock(chain, filter.from), findBlock(chain, filter.to) ?? chain.label('unsafe')].map(
        ({ header }: SealedHeader) => header.number,
      ) as [number, number]
      if (first > last) throw rpcError('blockRange')
      if (last - first >= options.maxTraceFilterBlocks) {
        const to = first + options.maxTraceFilterBlocks - 1
        throw rpcError('logRange', ` ${options.maxTraceFilterBlocks}, retry with the range ${first}-${to}`, {
          from: first,
          to,
          limit: options.maxTraceFilterBlocks,
        })
      }
      const budget = budgetOf(context, options.maxTraceTimeoutMs)
      const found: LocalizedTrace[] = []
      let skipped = 0
      for (let number = Math.max(1, first); number <= last && found.length < filter.count; number++) {
        const hash = chain.canonicalHash(number)
        const block = hash === null ? null : chain.block(hash)
        for (const trace of block === null ? [] : await localized(block, null, budget)) {
          if (!filter.matches(trace) || skipped++ < filter.after || found.length >= filter.count) continue
          found.push(trace)
        }
      }
      return found
    },
  }
}

interface FullTrace {
  readonly output: string
  readonly stateDiff: unknown
  readonly trace: readonly unknown[]
  readonly vmTrace: null
}

type LocalizedTrace = ReturnType<typeof parityTraces>[number] & Readonly<Record<string, unknown>>

function localize({ root }: CallTree, { place, precompiles }: TraceContext, budget: RunningBudget): readonly LocalizedTrace[] {
  const traces = root === null ? [] : parityTraces(root, precompiles)
  budget.spend(TRACE_BYTES * traces.length)
  return traces.map((trace) => ({
    ...trace,
    blockHash: place?.blockHash,
    blockNumber: place?.blockNumber,
    transactionHash: place?.transactionHash,
    transactionPosition: place?.transactionIndex,
  }))
}

function createFullTracer(types: WantedTraces, context: TraceContext): TransactionTracer {
  const tree = ['tree', createCallTree(context)] as const
  return createMuxTracer(
    new Map<string, TransactionTracer>(types.stateDiff ? [tree, ['stateDiff', createStateDiffTracer(context)]] : [tree]),
  )
}

function fullTrace(tracer: TransactionTracer, types: WantedTraces, { precompiles }: TraceContext): FullTrace {
  const { tree: root, stateDiff = null } = tracer.result() as { readonly tree: CallFrame | null; readonly stateDiff?: unknown }
  return {
    output: root?.output ?? '0x',
    stateDiff,
    trace: types.trace && root !== null ? parityTraces(root, precompiles) : [],
    vmTrace: null,
  }
}
