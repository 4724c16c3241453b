const TIMEOUT_MS = 30_000

/** Uses no client library, so that the test sees exactly what is on the wire. */
export async function rpcCall<T = unknown>(
  url: string,
  method: string,
  params: readonly unknown[] = [],
  timeoutMs = TIMEOUT_MS,
  headers: Readonly<Record<string, string>> = {},
): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(timeoutMs),
  })
  const answer = (await response.json()) as { result?: T; error?: { code: number; message: string } }
  if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.code} ${answer.error.message}`)
  return answer.result as T
}
