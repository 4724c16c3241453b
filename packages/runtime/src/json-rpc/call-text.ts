/** The calls of a request and the texts of its answers. JSON-RPC 2.0, sections 4 and 5 */
import { RawJson } from './raw-json.ts'
import type { Id } from './request-ids.ts'
import { RPC_ERROR_NUMBERS, RpcError } from './rpc-error.ts'

export interface Call {
  readonly method: string
  readonly params: readonly unknown[]
  readonly id: Id
}

/** `id` is the text of the call's id. */
export function readCall(value: unknown, id: Id): Call | RpcError {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return invalidRequest('expected an object')
  const { jsonrpc, method, params, id: parsedId } = value as Record<string, unknown>
  if (jsonrpc !== '2.0') return invalidRequest('jsonrpc must be "2.0"')
  if (typeof method !== 'string' || method === '') return invalidRequest('method must be a string')
  if (parsedId !== undefined && id === undefined) return invalidRequest('id must not be a list or an object')
  if (params !== undefined && params !== null && !Array.isArray(params)) {
    if (typeof params !== 'object') return invalidRequest('params must be an array')
    return new RpcError(RPC_ERROR_NUMBERS.invalidParams, 'non-array args')
  }
  return { method, params: (params as unknown[] | null | undefined) ?? [], id }
}

export function invalidRequest(what: string): RpcError {
  return new RpcError(RPC_ERROR_NUMBERS.invalidRequest, `Invalid request: ${what}`)
}

export function renderResult(id: string, result: unknown): string {
  const text = result instanceof RawJson ? result.text : JSON.stringify(result ?? null)
  return `{"jsonrpc":"2.0","id":${id},"result":${text}}`
}

export function renderError(id: string, error: RpcError): string {
  const { number, message, data } = error
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(data === undefined ? { code: number, message } : { code: number, message, data })}}`
}

export function refusedAnswer(value: unknown, id: Id, error: RpcError): string | null {
  const call = readCall(value, id)
  if (call instanceof RpcError) return renderError('null', call)
  return call.id === undefined ? null : renderError(call.id, error)
}
