/** Runs the calls of a parsed request. JSON-RPC 2.0, sections 4 to 6 */
import { setMaxListeners } from 'node:events'
import type { Logger } from '@keelson/primitives'
import { after, loopMs, nextTurn } from '../event-loop.ts'
import type { Metrics } from '../metrics.ts'
import { readCall, refusedAnswer, renderError, renderResult } from './call-text.ts'
import { type RpcErrorMapper, toRpcError } from './error-map.ts'
import type { Id, ParsedRequest } from './request-ids.ts'
import { methodNotFound, RPC_ERROR_NUMBERS, RpcError } from './rpc-error.ts'
import type { RpcContext, RpcMethods } from './rpc-method.ts'

export interface RpcLimits {
  readonly maxBodyBytes: number
  /** Limit for callers that are neither trusted nor have a key. */
  readonly maxStrangerBodyBytes: number
  readonly maxBatchCalls: number
  readonly maxResponseBytes: number
  readonly timeoutMs: number
  /** How long a request waits for the block of X-Keelson-Min-Block. */
  readonly minBlockWaitMs: number
}

export const DEFAULT_RPC_LIMITS: RpcLimits = {
  maxBodyBytes: 5 * 1024 * 1024,
  maxStrangerBodyBytes: 1024 * 1024,
  maxBatchCalls: 1000,
  maxResponseBytes: 25 * 1024 * 1024,
  timeoutMs: 30_000,
  minBlockWaitMs: 500,
}

export interface AnswererOptions {
  readonly methods: RpcMethods
  readonly limits: RpcLimits
  readonly log: Logger
  readonly mapError?: RpcErrorMapper
  readonly metrics?: Metrics
}

/** Returns null when the request has only notifications. */
export type Answerer = (request: ParsedRequest, context: RpcContext) => Promise<string | null>

const BATCH_TURN_MS = 10

export function createAnswerer(options: AnswererOptions): Answerer {
  const { limits } = options
  const durations = options.metrics?.histogram('rpc_duration_seconds', 'Time to answer a call, by method', ['method'])
  const failures = options.metrics?.counter('rpc_errors_total', 'Calls answered with an error, by method and number', ['method', 'number'])

  async function answerOne(call: unknown, id: Id, signal: AbortSignal, context: RpcContext): Promise<string | null> {
    const answer = await answerWithin(call, id, signal, context)
    return answer !== null && answer.length > limits.maxResponseBytes ? renderError(id ?? 'null', tooLarge()) : answer
  }

  async function answerBatch(
    calls: readonly unknown[],
    ids: readonly Id[],
    signal: AbortSignal,
    context: RpcContext,
  ): Promise<string | null> {
    const answers: string[] = []
    let bytes = 2
    let turnAtMs = loopMs() + BATCH_TURN_MS
    for (const [i, call] of calls.entries()) {
      if (loopMs() >= turnAtMs) {
        await nextTurn()
        turnAtMs = loopMs() + BATCH_TURN_MS
      }
      const full = bytes >= limits.maxResponseBytes
      const answer = full ? refusedAnswer(call, ids[i], tooLarge()) : await answerWithin(call, ids[i], signal, context)
      if (answer === null) continue
      const fits = full || bytes + answer.length + 1 <= limits.maxResponseBytes
      answers.push(fits ? answer : renderError(ids[i] ?? 'null', tooLarge()))
      // A response that does not fit ends the batch.
      bytes = fits ? bytes + answer.length + 1 : limits.maxResponseBytes
    }
    return answers.length === 0 ? null : `[${answers.join(',')}]`
  }

  async function answerWithin(value: unknown, id: Id, signal: AbortSignal, context: RpcContext): Promise<string | null> {
    const call = readCall(value, id)
    if (call instanceof RpcError) return renderError(id ?? 'null', call)
    const handler = Object.hasOwn(options.methods, call.method) ? options.methods[call.method] : undefined
    const label = handler === undefined ? 'unknown' : call.method
    const beganMs = loopMs()
    try {
      if (handler === undefined) throw methodNotFound(call.method)
      if (signal.aborted) throw timedOut()
      const result = await Promise.race([handler(call.params, { ...context, signal }), rejectOnAbort(signal)])
      // The result may come from a handler that stopped at the signal.
      if (signal.aborted) throw timedOut()
      return call.id === undefined ? null : renderResult(call.id, result)
    } catch (error) {
      const rpcError = toRpcError(error, options.mapError)
      failures?.inc(1, { method: label, number: rpcError.number })
      if (rpcError.number === RPC_ERROR_NUMBERS.internal) options.log.error('call failed with an internal error', { method: label, error })
      return call.id === undefined ? null : renderError(call.id, rpcError)
    } finally {
      durations?.observe((loopMs() - beganMs) / 1000, { method: label })
    }
  }

  function timedOut(): RpcError {
    return new RpcError(RPC_ERROR_NUMBERS.timeout, `request timed out after ${limits.timeoutMs} ms`)
  }

  function rejectOnAbort(signal: AbortSignal): Promise<never> {
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(timedOut()), { once: true }))
  }

  function tooLarge(): RpcError {
    return new RpcError(
      RPC_ERROR_NUMBERS.responseTooLarge,
      `response too large: at most ${limits.maxResponseBytes} bytes; ask for less at a time`,
    )
  }

  return async ({ value, ids }, context) => {
    const limit = createDeadline(context.signal, limits.timeoutMs)
    try {
      return Array.isArray(value)
        ? await answerBatch(value, ids, limit.signal, context)
        : await answerOne(value, ids[0], limit.signal, context)
    } finally {
      limit.clear()
    }
  }
}

function createDeadline(outer: AbortSignal, timeoutMs: number): { readonly signal: AbortSignal; clear(): void } {
  const controller = new AbortController()
  // Each call of a batch adds a listener.
  setMaxListeners(0, controller.signal)
  const abort = () => controller.abort(outer.reason)
  const cancel = after(timeoutMs, () => controller.abort(new DOMException('the request deadline has passed', 'TimeoutError')))
  outer.addEventListener('abort', abort, { once: true })
  if (outer.aborted) abort()
  return {
    signal: controller.signal,
    clear() {
      cancel()
      outer.removeEventListener('abort', abort)
    },
  }
}
