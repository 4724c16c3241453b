/**
 * The core of a JSON-RPC server, free of transport: parses one body, runs its calls in order, and
 * renders the answer. Notifications are run and not answered. JSON-RPC 2.0, sections 4 to 6.
 */
import type { Logger } from '@keelson/primitives'
import type { Metrics } from '../metrics.ts'
import { type RpcErrorMapper, toRpcError } from './error-map.ts'
import { methodNotFound, RPC_ERROR_NUMBERS, RpcError } from './rpc-error.ts'
import type { RpcContext, RpcMethods } from './rpc-method.ts'

export interface RpcLimits {
  readonly maxBodyBytes: number
  readonly maxBatchCalls: number
  /** Of one answer, a whole batch included. */
  readonly maxResponseBytes: number
  /** For one body, a whole batch included. */
  readonly timeoutMs: number
}

export const DEFAULT_RPC_LIMITS: RpcLimits = {
  maxBodyBytes: 5 * 1024 * 1024,
  maxBatchCalls: 1000,
  maxResponseBytes: 25 * 1024 * 1024,
  timeoutMs: 30_000,
}

export interface DispatcherOptions {
  readonly methods: RpcMethods
  readonly limits: RpcLimits
  readonly log: Logger
  readonly mapError?: RpcErrorMapper
  readonly metrics?: Metrics
}

/** `text` is null when the body held notifications only. */
export interface RpcAnswer {
  readonly text: string | null
  readonly rateLimited: boolean
}

export interface Dispatcher {
  /** `admit` is asked once, with the number of calls in the body, whether the caller's budget allows them. */
  dispatch(body: string, context: RpcContext, admit?: (calls: number) => boolean): Promise<RpcAnswer>
}

interface Call {
  readonly method: string
  readonly params: readonly unknown[]
  /** JSON text of the id; undefined for a notification. */
  readonly id: string | undefined
}

type Id = string | undefined

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { limits } = options
  const durations = options.metrics?.histogram('rpc_duration_seconds', 'Time to answer a call, by method', ['method'])
  const failures = options.metrics?.counter('rpc_errors_total', 'Calls answered with an error, by method and number', ['method', 'number'])

  const dispatch: Dispatcher['dispatch'] = async (body, context, admit) => {
    const parsed = parseJson(body)
    const refusal = refuseWhole(parsed)
    if (refusal !== null) return { text: renderError('null', refusal), rateLimited: false }
    if (admit !== undefined && !admit(Array.isArray(parsed) ? parsed.length : 1)) {
      const error = new RpcError(RPC_ERROR_NUMBERS.rateLimited, 'Rate limited: too many requests; back off and try again')
      return { text: renderError(idOf(parsed) ?? 'null', error), rateLimited: true }
    }
    const limit = createDeadline(context.signal, limits.timeoutMs)
    try {
      const text = Array.isArray(parsed) ? await answerBatch(parsed, limit.signal, context) : await answerOne(parsed, limit.signal, context)
      return { text, rateLimited: false }
    } finally {
      limit.clear()
    }
  }

  function refuseWhole(parsed: unknown): RpcError | null {
    if (parsed === undefined) return new RpcError(RPC_ERROR_NUMBERS.parse, 'Parse error')
    if (!Array.isArray(parsed)) return null
    if (parsed.length === 0) return invalidRequest('an empty batch')
    if (parsed.length <= limits.maxBatchCalls) return null
    return invalidRequest(`a batch of ${parsed.length} calls; at most ${limits.maxBatchCalls} are answered`)
  }

  async function answerOne(call: unknown, signal: AbortSignal, context: RpcContext): Promise<string | null> {
    const answer = await answerWithin(call, signal, context)
    return answer !== null && answer.length > limits.maxResponseBytes ? renderError(idOf(call) ?? 'null', tooLarge()) : answer
  }

  async function answerBatch(calls: readonly unknown[], signal: AbortSignal, context: RpcContext): Promise<string | null> {
    const answers: string[] = []
    let bytes = 2
    for (const call of calls) {
      const full = bytes >= limits.maxResponseBytes
      const answer = full ? refusedAnswer(call, tooLarge()) : await answerWithin(call, signal, context)
      if (answer === null) continue
      const fits = full || bytes + answer.length + 1 <= limits.maxResponseBytes
      answers.push(fits ? answer : renderError(idOf(call) ?? 'null', tooLarge()))
      // one that did not fit ends the batch: the rest would be uneven luck
      bytes = fits ? bytes + answer.length + 1 : limits.maxResponseBytes
    }
    return answers.length === 0 ? null : `[${answers.join(',')}]`
  }

  async function answerWithin(value: unknown, signal: AbortSignal, context: RpcContext): Promise<string | null> {
    const call = readCall(value)
    if (call instanceof RpcError) return renderError(idOf(value) ?? 'null', call)
    const handler = Object.hasOwn(options.methods, call.method) ? options.methods[call.method] : undefined
    // an unknown name is not a label: callers could make up any number of them
    const label = handler === undefined ? 'unknown' : call.method
    const beganMs = performance.now()
    try {
      if (handler === undefined) throw methodNotFound(call.method)
      if (signal.aborted) throw timedOut()
      const result = await Promise.race([handler(call.params, { ...context, signal }), rejectOnAbort(signal)])
      // a handler that gave up at the signal may have won the race
      if (signal.aborted) throw timedOut()
      return call.id === undefined ? null : renderResult(call.id, result)
    } catch (error) {
      const rpcError = toRpcError(error, options.mapError)
      failures?.inc(1, { method: label, number: rpcError.number })
      if (rpcError.number === RPC_ERROR_NUMBERS.internal) options.log.error('a call failed for an inner reason', { method: label, error })
      return call.id === undefined ? null : renderError(call.id, rpcError)
    } finally {
      durations?.observe((performance.now() - beganMs) / 1000, { method: label })
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

  return { dispatch }
}

/** Aborts with `outer` or after the time, whichever comes first. */
function createDeadline(outer: AbortSignal, timeoutMs: number): { readonly signal: AbortSignal; clear(): void } {
  const controller = new AbortController()
  const abort = () => controller.abort(outer.reason)
  const timer = setTimeout(() => controller.abort(new DOMException('the time for this request is over', 'TimeoutError')), timeoutMs)
  outer.addEventListener('abort', abort, { once: true })
  if (outer.aborted) abort()
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer)
      outer.removeEventListener('abort', abort)
    },
  }
}

/** An error answer for a call that was not run; null for a notification. */
function refusedAnswer(value: unknown, error: RpcError): string | null {
  const call = readCall(value)
  if (call instanceof RpcError) return renderError('null', call)
  return call.id === undefined ? null : renderError(call.id, error)
}

function invalidRequest(what: string): RpcError {
  return new RpcError(RPC_ERROR_NUMBERS.invalidRequest, `Invalid request: ${what}`)
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** The id as it must be echoed; undefined when absent or not a legal id. */
function idOf(value: unknown): Id {
  if (typeof value !== 'object' || value === null || !('id' in value)) return undefined
  const { id } = value
  return typeof id === 'string' || typeof id === 'number' || id === null ? JSON.stringify(id) : undefined
}

function readCall(value: unknown): Call | RpcError {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return invalidRequest('expected an object')
  const { jsonrpc, method, params, id } = value as Record<string, unknown>
  if (jsonrpc !== '2.0') return invalidRequest('jsonrpc must be "2.0"')
  if (typeof method !== 'string' || method === '') return invalidRequest('method must be a string')
  const legalId = idOf(value)
  if (id !== undefined && legalId === undefined) return invalidRequest('id must be a string, a number or null')
  if (params !== undefined && params !== null && !Array.isArray(params)) {
    if (typeof params !== 'object') return invalidRequest('params must be an array')
    return new RpcError(RPC_ERROR_NUMBERS.invalidParams, 'non-array args')
  }
  return { method, params: (params as unknown[] | null | undefined) ?? [], id: legalId }
}

function renderResult(id: string, result: unknown): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result ?? null)}}`
}

function renderError(id: string, error: RpcError): string {
  const { number, message, data } = error
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(data === undefined ? { code: number, message } : { code: number, message, data })}}`
}
