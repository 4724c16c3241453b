import { jsonShapeOf, type ParsedRequest, parseRequest } from '@keelson/runtime'
import { priceOf } from './rpc-methods.ts'

export type RpcBody =
  | { readonly ok: true; readonly calls: number; readonly price: number; readonly traces: boolean; readonly id: RpcId }
  | { readonly ok: false; readonly number: number; readonly message: string; readonly id: RpcId }

/** JSON text as its sender wrote it; null for a batch, which is refused whole, and for a request without an identifier. */
export type RpcId = string

const MAX_CALLS = 60
const MAX_ID_LENGTH = 64
const SHAPE_LIMITS = { structure: 20_000, depth: 32 }
const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600
const METHOD_NOT_FOUND = -32601
const TOO_MANY = -32005

/** Looks at the methods only; the node judges the rest. */
export function readRpcBody(text: string): RpcBody {
  if (jsonShapeOf(text, SHAPE_LIMITS).exceeded !== null) return refuse(TOO_MANY, 'the request has too many parts or is nested too deeply')
  let parsed: ParsedRequest
  try {
    parsed = parseRequest(text)
  } catch {
    return refuse(PARSE_ERROR, 'the request is not JSON')
  }
  const calls = Array.isArray(parsed.value) ? parsed.value : [parsed.value]
  const id = idOf(parsed)
  if (calls.length === 0) return refuse(INVALID_REQUEST, 'the batch is empty')
  if (calls.length > MAX_CALLS) return refuse(TOO_MANY, `a batch may have ${MAX_CALLS} calls, got ${calls.length}`)
  let price = 0
  let traces = false
  for (const call of calls as readonly unknown[]) {
    const method = typeof call === 'object' && call !== null ? (call as { method?: unknown }).method : undefined
    if (typeof method !== 'string') return refuse(INVALID_REQUEST, 'a call has no method', id)
    const cost = priceOf(method)
    if (cost === null) {
      const shown = method.slice(0, 64).replace(/[^\x21-\x7e]/g, '?')
      return refuse(
        METHOD_NOT_FOUND,
        `the pages do not offer ${shown}: they pass on reads and eth_sendRawTransaction; ask the node itself`,
        id,
      )
    }
    price += cost
    traces ||= method.startsWith('debug_')
  }
  return { ok: true, calls: calls.length, price, traces, id }
}

function idOf({ value, ids }: ParsedRequest): RpcId {
  const id = Array.isArray(value) ? undefined : ids[0]
  return id !== undefined && id.length <= MAX_ID_LENGTH ? id : 'null'
}

function refuse(number: number, message: string, id: RpcId = 'null'): RpcBody {
  return { ok: false, number, message, id }
}
