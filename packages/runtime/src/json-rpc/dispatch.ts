/** JSON-RPC 2.0, sections 4 to 6 */
import { setMaxListeners } from 'node:events'
import type { Logger } from '@keelson/primitives'
import { nextTurn } from '../event-loop.ts'
import type { Metrics } from '../metrics.ts'
import { type RpcCaller, unlimitedCaller } from './access/rpc-access.ts'
import { chargeBody, MAX_DEPTH, MAX_STRANGER_STRUCTURE, STRUCTURE_PER_TOKEN, TEXT_PER_TOKEN } from './charge-body.ts'
import { type RpcErrorMapper, toRpcError } from './error-map.ts'
import type { JsonShape } from './json-shape.ts'
import { RawJson } from './raw-json.ts'
import { methodNotFound, RPC_ERROR_NUMBERS, RpcError } from './rpc-error.ts'
import type { RpcContext, RpcMethods } from './rpc-method.ts'

export interface RpcLimits {
  readonly maxBodyBytes: number
  /** Limit for callers that are neither trusted nor have a key. */
  readonly maxStrangerBodyBytes: number
  readonly maxBatchCalls: number
  readonly maxResponseBytes: number
  readonly timeoutMs: number
}

export const DEFAULT_RPC_LIMITS: RpcLimits = {
  maxBodyBytes: 5 * 1024 * 1024,
  maxStrangerBodyBytes: 1024 * 1024,
  maxBatchCalls: 1000,
  maxResponseBytes: 25 * 1024 * 1024,
  timeoutMs: 30_000,
}

export function maxBodyBytes(limits: RpcLimits, caller: RpcCaller | undefined): number {
  return caller?.known === false ? Math.min(limits.maxBodyBytes, limits.maxStrangerBodyBytes) : limits.maxBodyBytes
}

export interface DispatcherOptions {
  readonly methods: RpcMethods
  readonly limits: RpcLimits
  readonly log: Logger
  readonly mapError?: RpcErrorMapper
  readonly metrics?: Metrics
  /** Metric label of a method; must have few values. Default: the namespace. */
  readonly methodClass?: (method: string) => string
  /** Price in tokens, at least 1. */
  readonly methodPrice?: (method: string) => number
}

/** `text` is null when the request has only notifications. */
export interface RpcAnswer {
  readonly text: string | null
  readonly waitMs: number | null
}

export interface Dispatcher {
  /** Takes a token before the body is read; null admits the caller. */
  admit(caller: RpcCaller): RpcAnswer | null
  /**
   * The price is the sum of the calls' prices, at least one token per 64 KiB and per 5,000 brackets, commas and colons. Each 64
   * KiB of the response costs a token on credit.
   */
  dispatch(body: string, context: RpcContext, caller?: RpcCaller, prepaid?: number): Promise<RpcAnswer>
}

interface Call {
  readonly method: string
  readonly params: readonly unknown[]
  readonly id: string | undefined
}

type Id = string | undefined

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { limits } = options
  const durations = options.metrics?.histogram('rpc_duration_seconds', 'Time to answer a call, by method', ['method'])
  const failures = options.metrics?.counter('rpc_errors_total', 'Calls answered with an error, by method and number', ['method', 'number'])

  const requests = options.metrics?.counter('rpc_requests_total', 'Accepted calls, by tier of the caller and class of method', [
    'tier',
    'class',
  ])
  const refusals = options.metrics?.counter('rpc_refused_total', 'Calls rejected by the rate limit, by tier and class', ['tier', 'class'])
  const classOf = (value: unknown): string => {
    const { method } = (value ?? {}) as { readonly method?: unknown }
    // Unknown names would create any number of metric labels.
    if (typeof method !== 'string' || !Object.hasOwn(options.methods, method)) return 'unknown'
    return options.methodClass?.(method) ?? (method.split('_')[0] as string)
  }

  const refuseUnread = ({ tier }: RpcCaller, waitMs: number): RpcAnswer => {
    refusals?.inc(1, { tier, class: 'unread' })
    return { text: renderError('null', rateLimited(waitMs)), waitMs }
  }

  const dispatch: Dispatcher['dispatch'] = async (body, context, caller = UNLIMITED, prepaid = 0) => {
    const charged = chargeBody(body, caller, prepaid)
    if (!charged.ok) return refuseUnread(caller, charged.waitMs)
    const unparsed = refuseShape(body, charged.shape, caller.burst, limits.maxBatchCalls)
    const parsed = unparsed === null ? parseJson(body) : undefined
    const items = Array.isArray(parsed) ? parsed : [parsed]
    const price = items.reduce<number>((sum, item) => sum + priceOfCall(item), 0)
    const refusal = unparsed ?? refuseWhole(parsed, price, caller.burst)
    const waitMs = caller.take(Math.max(0, (refusal === null ? price : 1) - charged.paid))
    const counter = waitMs > 0 ? refusals : requests
    for (const item of items) counter?.inc(1, { tier: caller.tier, class: classOf(item) })
    if (waitMs > 0) {
      return { text: refusal === null ? renderRefusal(parsed, rateLimited(waitMs)) : renderError('null', rateLimited(waitMs)), waitMs }
    }
    if (refusal !== null) return { text: refusal, waitMs: null }
    const limit = createDeadline(context.signal, limits.timeoutMs)
    const own: RpcContext = caller === UNLIMITED ? context : { ...context, caller }
    try {
      const text = Array.isArray(parsed) ? await answerBatch(parsed, limit.signal, own) : await answerOne(parsed, limit.signal, own)
      const answerPrice = Math.floor((text?.length ?? 0) / TEXT_PER_TOKEN)
      if (answerPrice > 0) caller.charge(answerPrice)
      return { text, waitMs: null }
    } finally {
      limit.clear()
    }
  }

  function priceOfCall(item: unknown): number {
    const { method } = (item ?? {}) as { readonly method?: unknown }
    if (options.methodPrice === undefined || typeof method !== 'string' || !Object.hasOwn(options.methods, method)) return 1
    return options.methodPrice(method)
  }

  async function answerOne(call: unknown, signal: AbortSignal, context: RpcContext): Promise<string | null> {
    const answer = await answerWithin(call, signal, context)
    return answer !== null && answer.length > limits.maxResponseBytes ? renderError(idOf(call) ?? 'null', tooLarge()) : answer
  }

  async function answerBatch(calls: readonly unknown[], signal: AbortSignal, context: RpcContext): Promise<string | null> {
    const answers: string[] = []
    let bytes = 2
    let turnAtMs = performance.now() + BATCH_TURN_MS
    for (const call of calls) {
      if (performance.now() >= turnAtMs) {
        await nextTurn()
        turnAtMs = performance.now() + BATCH_TURN_MS
      }
      const full = bytes >= limits.maxResponseBytes
      const answer = full ? refusedAnswer(call, tooLarge()) : await answerWithin(call, signal, context)
      if (answer === null) continue
      const fits = full || bytes + answer.length + 1 <= limits.maxResponseBytes
      answers.push(fits ? answer : renderError(idOf(call) ?? 'null', tooLarge()))
      // A response that does not fit ends the batch.
      bytes = fits ? bytes + answer.length + 1 : limits.maxResponseBytes
    }
    return answers.length === 0 ? null : `[${answers.join(',')}]`
  }

  async function answerWithin(value: unknown, signal: AbortSignal, context: RpcContext): Promise<string | null> {
    const call = readCall(value)
    if (call instanceof RpcError) return renderError(idOf(value) ?? 'null', call)
    const handler = Object.hasOwn(options.methods, call.method) ? options.methods[call.method] : undefined
    const label = handler === undefined ? 'unknown' : call.method
    const beganMs = performance.now()
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

  return {
    admit(caller) {
      const waitMs = caller.take(1)
      return waitMs > 0 ? refuseUnread(caller, waitMs) : null
    },
    dispatch,
  }
}

function refuseShape(body: string, shape: JsonShape, burst: number, maxBatchCalls: number): string | null {
  if (shape.exceeded === 'depth')
    return renderError('null', parseError(`: lists and objects are nested deeper than the limit of ${MAX_DEPTH}; send flatter parameters`))
  if (shape.exceeded === 'structure') {
    const most = MAX_STRANGER_STRUCTURE
    return renderError(
      'null',
      invalidRequest(`the body holds more than ${most} brackets, commas and colons; split it into smaller requests`),
    )
  }
  if (shape.items === 0) return renderError('null', invalidRequest('an empty batch'))
  const most = Math.min(maxBatchCalls, burst)
  if (shape.items === null || shape.items <= most) return null
  const error = invalidBatch(`batch too large: ${shape.items} calls; at most ${most} are answered at once`)
  // Libraries expect a batch's error in a list, with the first call's id.
  return `[${renderError(firstIdOf(body, shape) ?? 'null', error)}]`
}

/** Returns null to accept the body. */
function refuseWhole(parsed: unknown, price: number, burst: number): string | null {
  if (parsed === undefined) return renderError('null', parseError())
  if (price <= burst) return null
  const error = invalidBatch(`the calls cost ${price} tokens, more than the burst of ${burst}; send fewer calls`)
  return Array.isArray(parsed) ? `[${renderError(idOf(parsed[0]) ?? 'null', error)}]` : renderError(idOf(parsed) ?? 'null', error)
}

const BATCH_TURN_MS = 10

const UNLIMITED = unlimitedCaller('unlimited', 'unlimited')

function parseError(detail = ''): RpcError {
  return new RpcError(RPC_ERROR_NUMBERS.parse, `Parse error${detail}`)
}

function invalidBatch(message: string): RpcError {
  return new RpcError(RPC_ERROR_NUMBERS.invalidRequest, message)
}

function rateLimited(waitMs: number): RpcError {
  const waitSec = Math.ceil(waitMs / 1000)
  return new RpcError(RPC_ERROR_NUMBERS.rateLimited, `Rate limited: too many requests; back off and try again in ${waitSec} s`)
}

function renderRefusal(parsed: unknown, error: RpcError): string | null {
  if (!Array.isArray(parsed)) return renderError(idOf(parsed) ?? 'null', error)
  const answers = parsed.map((item) => refusedAnswer(item, error)).filter((answer) => answer !== null)
  return answers.length === 0 ? null : `[${answers.join(',')}]`
}

function createDeadline(outer: AbortSignal, timeoutMs: number): { readonly signal: AbortSignal; clear(): void } {
  const controller = new AbortController()
  // Each call of a batch adds a listener.
  setMaxListeners(0, controller.signal)
  const abort = () => controller.abort(outer.reason)
  const timer = setTimeout(() => controller.abort(new DOMException('the request deadline has passed', 'TimeoutError')), timeoutMs)
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

function refusedAnswer(value: unknown, error: RpcError): string | null {
  const call = readCall(value)
  if (call instanceof RpcError) return renderError('null', call)
  return call.id === undefined ? null : renderError(call.id, error)
}

function invalidRequest(what: string): RpcError {
  return new RpcError(RPC_ERROR_NUMBERS.invalidRequest, `Invalid request: ${what}`)
}

function firstIdOf(body: string, shape: JsonShape): Id {
  const isSmall = shape.structure <= STRUCTURE_PER_TOKEN && body.length <= TEXT_PER_TOKEN
  if (!isSmall) return idOf(parseJson(body.slice(body.indexOf('[') + 1, shape.firstItemEnd)))
  const parsed = parseJson(body)
  return Array.isArray(parsed) ? parsed.map(idOf).find((id) => id !== undefined) : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

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
  const text = result instanceof RawJson ? result.text : JSON.stringify(result ?? null)
  return `{"jsonrpc":"2.0","id":${id},"result":${text}}`
}

function renderError(id: string, error: RpcError): string {
  const { number, message, data } = error
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(data === undefined ? { code: number, message } : { code: number, message, data })}}`
}
