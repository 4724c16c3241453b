/** JSON-RPC 2.0 section 5; EIP-1474 */
import type { Severity } from '@keelson/primitives'
import { type HttpResponse, jsonShapeOf } from '@keelson/runtime'
import { ClientError, RpcResponseError } from '../client-error.ts'
import type { RpcCall, RpcOutcome } from './rpc-client.ts'

const SHOWN_CHARACTERS = 200
const MAX_DEPTH = 64
/** Rate limits (429, -32005) and server errors (-32603, -32002 timeout, -32007). */
const TEMPORARY_NUMBERS = new Set([429, -32005, -32603, -32002, -32007])
/** The last alternative matches a lagging node's error. */
const TEMPORARY_TEXT = /rate limit|too many requests|capacity exceeded|timed? ?out|try again|temporarily|beyond current head block/i

/** Accepts JSON-RPC with any HTTP status. Throws ClientError. */
export function parseAnswer(host: string, response: HttpResponse, maxStructure: number): unknown {
  const { status } = response
  const text = new TextDecoder().decode(response.body)
  assertStructure(host, text, maxStructure)
  const parsed = parseJson(text)
  if (status === 200 || isRpcError(parsed)) {
    if (parsed === undefined)
      throw new ClientError('client/bad-answer', 'temporary', `${host} answered something that is not JSON: ${shorten(text)}`, { host })
    return parsed
  }
  const details = { host, status, ...retryAfter(response) }
  if (status === 401 || status === 403) {
    throw new ClientError('client/unauthorized', 'temporary', `${host} refused us with status ${status}: ${shorten(text)}`, details)
  }
  if (status === 429) throw new ClientError('client/rate-limited', 'temporary', `${host} limits our rate: ${shorten(text)}`, details)
  const temporary = status >= 500 || status === 408
  throw new ClientError(
    'client/http-status',
    temporary ? 'temporary' : 'critical',
    `${host} answered with status ${status}: ${shorten(text)}`,
    details,
  )
}

/** Throws ClientError `client/too-large` when parsing would take too long. */
export function assertStructure(host: string, text: string, maxStructure: number): void {
  const { exceeded } = jsonShapeOf(text, { structure: maxStructure, depth: MAX_DEPTH })
  if (exceeded === null) return
  const why = exceeded === 'depth' ? `is nested more than ${MAX_DEPTH} deep` : `has more than ${maxStructure} commas, colons and brackets`
  throw new ClientError('client/too-large', 'temporary', `the answer of ${host} ${why}, which no honest answer to this request has`, {
    host,
  })
}

/** Returns outcomes in the order of `calls`. */
export function parseBatchAnswer(host: string, answers: readonly unknown[], calls: readonly RpcCall[], firstId: number): RpcOutcome[] {
  const byId = new Map(answers.map((answer) => [(answer as { id?: unknown } | null)?.id, answer]))
  return calls.map(({ method }, i) => {
    // If a node refuses a request before parsing it, the error's id is null.
    const answer = byId.get(firstId + i) ?? (calls.length === 1 ? byId.get(null) : undefined)
    return answer === undefined ? missing(host, method) : readOutcome(host, method, answer)
  })
}

function readOutcome(host: string, method: string, answer: unknown): RpcOutcome {
  const { result, error } = answer as { result?: unknown; error?: unknown }
  if (error !== undefined && error !== null) return { ok: false, error: responseError(method, error) }
  return result === undefined ? missing(host, method) : { ok: true, result }
}

function missing(host: string, method: string): RpcOutcome {
  return { ok: false, error: new ClientError('client/bad-answer', 'temporary', `${host} gave no answer to ${method}`, { host, method }) }
}

/** `error` is the member of this name in a response. JSON-RPC 2.0, section 5.1 */
export function responseError(method: string, error: unknown): RpcResponseError {
  const { code, message, data } = (typeof error === 'object' ? error : {}) as { code?: unknown; message?: unknown; data?: unknown }
  const number = typeof code === 'number' ? code : 0
  const text = typeof message === 'string' ? message : shorten(String(JSON.stringify(error)))
  return new RpcResponseError(severityOf(number, text), method, number, text, data)
}

function severityOf(number: number, text: string): Severity {
  return TEMPORARY_NUMBERS.has(number) || TEMPORARY_TEXT.test(text) ? 'temporary' : 'critical'
}

function isRpcError(value: unknown): boolean {
  return typeof value === 'object' && value !== null && (Array.isArray(value) || 'jsonrpc' in value)
}

function retryAfter(response: HttpResponse): { readonly retryAfterSec?: number } {
  const seconds = Number(response.headers['retry-after'])
  return Number.isFinite(seconds) && seconds > 0 ? { retryAfterSec: seconds } : {}
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function shorten(text: string): string {
  const line = text
    .slice(0, 4 * SHOWN_CHARACTERS)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return line.length <= SHOWN_CHARACTERS ? line : `${line.slice(0, SHOWN_CHARACTERS)}...`
}
