import { createTracer, type SimulationContext, simulateCall, type TraceContext, type TransactionTracer } from '@keelson/evm'
import { type Block, CodecError, decodeBlock, type Hash, messageOf, parseData, parseHash, parseQuantityNumber } from '@keelson/primitives'
import { type RpcContext, RpcError } from '@keelson/runtime'
import { rejectionError, rpcError, serverError } from '../errors.ts'
import { prepareCall } from '../eth/call-context.ts'
import { parseCallRequest } from '../eth/call-request.ts'
import type { ReadMethod, ReadMethods } from '../limits/read-lanes.ts'
import { createTraceBudget, type RunningBudget } from '../limits/trace-budget.ts'
import { argument, findBlock, getBlock, LATEST, optionalArgument, parseBlockNumberOrTag, parseBlockSelector } from '../params.ts'
import type { ReadDependencies } from '../rpc-dependencies.ts'
import { stateBefore } from './block-replay.ts'
import { precompilesAt, stoppable, traceBlock } from './trace-block.ts'
import { parseTraceRequest, type TraceRequest } from './trace-config.ts'

type TraceMethod = Extract<ReadMethod, `debug_trace${string}`>

const EMPTY_REQUEST = {}

export function traceMethods(deps: ReadDependencies): Pick<ReadMethods, TraceMethod> {
  const { chain, options } = deps
  const requestAt = (params: readonly unknown[], index: number): TraceRequest =>
    optionalArgument(params, index, parseTraceRequest(EMPTY_REQUEST, options), (value) => parseTraceRequest(value, options))
  const budgetOf = (request: TraceRequest, context: RpcContext): RunningBudget =>
    createTraceBudget(deps.clock, { timeoutMs: request.timeoutMs, maxBytes: options.maxTraceBytes, signal: context.signal })

  const createRequested = (request: TraceRequest, context: TraceContext): TransactionTracer => {
    let tracer: TransactionTracer | null = null
    try {
      tracer = createTracer(request.tracer, request.config, context)
    } catch (error) {
      if (error instanceof RpcError) throw error
      throw serverError(messageOf(error))
    }
    if (tracer === null) throw serverError(`tracer not found: ${request.tracer}`)
    return tracer
  }

  const traceAll = async (block: Block, request: TraceRequest, context: RpcContext, only: number | null): Promise<unknown[]> => {
    const results: unknown[] = []
    const run = { only, budget: budgetOf(request, context) }
    for await (const { tx, tracer } of traceBlock(deps, block, run, (at) => createRequested(request, at)))
      results.push(only === null ? { txHash: tx.hash, result: tracer.result() } : tracer.result())
    return results
  }

  const stored = (hash: Hash): Block => {
    const block = chain.block(hash)
    if (block === null) throw serverError(`block ${hash} not found`)
    return block
  }
  const blockTrace = (found: Block | null, params: readonly unknown[], context: RpcContext, what: string) => {
    const request = requestAt(params, 1)
    if (found === null) throw serverError(what)
    return traceAll(found, request, context, null)
  }

  return {
    debug_traceBlock(params, context) {
      const raw = argument(params, 0, (value) => parseData(value, 'block'))
      requestAt(params, 1)
      return blockTrace(decodeGiven(raw), params, context, '')
    },
    async debug_traceTransaction(params, context) {
      const hash = argument(params, 0, parseHash)
      const request = requestAt(params, 1)
      const place = chain.locate(hash)
      const blockHash = place === null ? null : chain.canonicalHash(place.blockNumber)
      const block = blockHash === null ? null : chain.block(blockHash)
      if (place === null || block === null) throw rpcError('transactionNotFound')
      const [result] = await traceAll(block, request, context, place.index)
      return result
    },
    debug_traceBlockByNumber(params, context) {
      const selector = argument(params, 0, parseBlockNumberOrTag)
      const found = findBlock(chain, selector)
      const what = selector.kind === 'number' ? `block #${selector.number} not found` : 'block not found'
      return blockTrace(found === null ? null : chain.block(found.hash), params, context, what)
    },
    debug_traceBlockByHash(params, context) {
      const hash: Hash = argument(params, 0, parseHash)
      return blockTrace(chain.block(hash), params, context, `block ${hash} not found`)
    },
    async debug_traceCall(params, context) {
      const request = requestAt(params, 2)
      const given = (params[2] ?? {}) as Readonly<Record<string, unknown>>
      const budget = budgetOf(request, context)
      const txIndex = given.txIndex === undefined || given.txIndex === null ? null : argument([0, 0, given.txIndex], 2, parseQuantityNumber)
      argument(params, 0, parseCallRequest)
      const block = getBlock(chain, optionalArgument(params, 1, LATEST, parseBlockSelector))
      const state = txIndex === null ? null : await stateBefore(deps, stored(block.hash), txIndex, () => budget.breathe())
      const prepared = prepareCall(deps, [params[0], params[1], given.stateOverrides, given.blockOverrides], state)
      const { context: simulation, gasLimit, call } = prepared
      const { rules } = simulation
      const requested = createRequested(request, { rules, precompiles: precompilesAt(deps, rules), place: null, budget })
      const tracer = stoppable(requested, budget)
      const traced: SimulationContext = { ...simulation, tracer }
      const result = simulateCall(traced, call(gasLimit))
      if (result.kind === 'rejected') throw rejectionError({ reason: result.reason, detail: result.message })
      return tracer.result()
    },
  }
}

function decodeGiven(raw: Uint8Array): Block {
  try {
    return decodeBlock(raw)
  } catch (error) {
    if (error instanceof CodecError) throw serverError(`could not decode block: ${error.message}`)
    throw error
  }
}
