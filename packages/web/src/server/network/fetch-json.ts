import { type HttpClient, HttpClientError } from '@keelson/runtime'

const TIMEOUT_MS = 2_500
const MAX_ANSWER_BYTES = 1024 * 1024

export type Fetched = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly trouble: string }

/** Reports the JSON of any status, because an unready role answers 503 with its report. */
export async function getJson(http: HttpClient, url: string, signal: AbortSignal): Promise<Fetched> {
  try {
    const { body } = await http.send({ url, method: 'GET', timeoutMs: TIMEOUT_MS, maxResponseBytes: MAX_ANSWER_BYTES, signal })
    return { ok: true, value: JSON.parse(new TextDecoder().decode(body)) }
  } catch (error) {
    return { ok: false, trouble: troubleOf(error) }
  }
}

export async function callRpc(
  http: HttpClient,
  url: string,
  method: string,
  params: readonly unknown[],
  signal: AbortSignal,
): Promise<Fetched> {
  try {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const answer = await http.send({
      url,
      method: 'POST',
      headers,
      body,
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_ANSWER_BYTES,
      signal,
    })
    const { result, error } = JSON.parse(new TextDecoder().decode(answer.body)) as { result?: unknown; error?: { message?: string } }
    if (error !== undefined) return { ok: false, trouble: error.message ?? 'the node refused the call' }
    return { ok: true, value: result }
  } catch (error) {
    return { ok: false, trouble: troubleOf(error) }
  }
}

/** Leaves out the address, which is not for the public. */
function troubleOf(error: unknown): string {
  if (!(error instanceof HttpClientError)) return 'its answer cannot be read'
  return error.reason === 'timeout' ? `no answer within ${TIMEOUT_MS / 1000} s` : 'it cannot be reached'
}
