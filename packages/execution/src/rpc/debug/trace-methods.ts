import { createTracer, type SimulationContext, simulateCall, type TraceContext, type TransactionTracer } from '@keelson/evm'
import { type Block, CodecError, decodeBlock, type Hash, messageOf, parseData, parseHash, parseQuantityNumber } from '@keelson/primitives'
import { type RpcContext, RpcError } from '@keelson/runtime'
import { rejectionError, rpcError, serverError } from '../errors.ts'
import { parseCallArguments, prepareParsedCall } from '../eth/call-context.ts'
import type { ReadMethod, ReadMethods } from '../limits/read-lanes.ts'
import { createTraceBudget, type RunningBudget } from '../limits/trace-budget.ts'
import { argument, findBlock, getBlock, optionalArgument, parseBlockNumberOrTag } from '../params.ts'
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
  const blockTrace = (params: readonly unknown[], context: RpcContext, find: () => Block) => {
    const request = requestAt(params, 1)
    return traceAll(find(), request, context, null)
  }

  return {
    debug_traceBlock(params, context) {
      const raw = argument(params, 0, (value) => parseData(value, 'block'))
      return blockTrace(params, context, () => decodeGiven(raw))
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
      return blockTrace(params, context, () => {
        const found = findBlock(chain, selector)
        const block = found === null ? null : chain.block(found.hash)
        if (block !== null) return block
        throw serverError(selector.kind === 'number' ? `block #${selector.number} not found` : 'block not found')
      })
    },
    debug_traceBlockByHash(params, context) {
      const hash: Hash = argument(params, 0, parseHash)
      return blockTrace(params, context, () => stored(hash))
    },
    async debug_traceCall(params, context) {
      const request = requestAt(params, 2)
      const given = (params[2] ?? {}) as Readonly<Record<string, unknown>>
      const budget = budgetOf(request, context)
      const txIndex = given.txIndex === undefined || given.txIndex === null ? null : argument([0, 0, given.txIndex], 2, parseQuantityNumber)
      const asked = parseCallArguments([params[0], params[1], given.stateOverrides, given.blockOverrides])
      const { hash } = getBlock(chain, asked.selector)
      const state = txIndex === null ? null : await stateBefore(deps, stored(hash), txIndex, () => budget.breathe())
      const prepared = prepareParsedCall(deps, asked, state)
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
