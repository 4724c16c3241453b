const TIMEOUT_MS = 30_000

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export type Outcome = { readonly result: unknown } | { readonly error: RpcError }

/** Sends one request. Rejects when there is no answer of JSON-RPC. */
export async function ask(url: string, method: string, params: readonly unknown[]): Promise<Outcome> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const text = await response.text()
  let answer: { readonly result?: unknown; readonly error?: RpcError }
  try {
    answer = JSON.parse(text)
  } catch {
    throw new Error(`${url} answered ${method} with HTTP ${response.status}: ${text.slice(0, 200)}`)
  }
  return answer.error === undefined ? { result: answer.result } : { error: answer.error }
}

export async function resultOf(url: string, method: string, params: readonly unknown[] = []): Promise<unknown> {
  const outcome = await ask(url, method, params)
  if ('error' in outcome) throw new Error(`${url}: ${method}: ${outcome.error.message}`)
  return outcome.result
}
