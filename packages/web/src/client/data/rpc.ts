import { Refusal, send } from './get-json.ts'

export type Layer = 'l1' | 'l2'

export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

export class RpcRefusal extends Error {
  readonly number: number
  readonly data: unknown
  constructor(number: number, message: string, data: unknown) {
    super(message)
    this.number = number
    this.data = data
  }
}

interface RpcAnswer {
  readonly id: number | null
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** The server passes on at most 60 calls at once. */
const MAX_CALLS = 50

/** Asks L2. Throws RpcRefusal of the node, and Refusal. */
export function rpc<T>(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<T> {
  return rpcOn('l2', method, params, signal)
}

export async function rpcOn<T>(layer: Layer, method: string, params: readonly unknown[], signal?: AbortSignal): Promise<T> {
  const answer = (await post(layer, { jsonrpc: '2.0', id: 1, method, params }, signal)) as RpcAnswer
  return resultOf(answer) as T
}

/** Results in the order of the calls; null for a call that failed. */
export async function rpcAll(calls: readonly RpcCall[], signal?: AbortSignal): Promise<readonly unknown[]> {
  const results: unknown[] = []
  for (let from = 0; from < calls.length; from += MAX_CALLS) {
    const some = calls.slice(from, from + MAX_CALLS)
    const answers = await post(
      'l2',
      some.map((call, id) => ({ jsonrpc: '2.0', id, ...call })),
      signal,
    )
    if (!Array.isArray(answers)) resultOf(answers as RpcAnswer)
    const byId = new Map((answers as RpcAnswer[]).map((answer) => [answer.id, answer.result ?? null]))
    for (const id of some.keys()) results.push(byId.get(id) ?? null)
  }
  return results
}

async function post(layer: Layer, body: unknown, signal?: AbortSignal): Promise<unknown> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const response = await send(`/rpc/${layer}`, init, signal)
  const answer: unknown = await response.json().catch(() => null)
  if (response.ok && answer !== null) return answer
  throw new Refusal(response.status, (answer as { message?: string } | null)?.message ?? 'The node does not answer.', null)
}

function resultOf({ result, error }: RpcAnswer): unknown {
  if (error !== undefined) throw new RpcRefusal(error.code, error.message, error.data)
  return result ?? null
}
