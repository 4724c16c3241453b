import { type HttpClient, HttpClientError, type HttpResponse } from '@keelson/runtime'
import { SourceError } from '../source-error.ts'

interface JsonRequest {
  readonly label: string
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly signal: AbortSignal
  readonly timeoutMs?: number
}

export interface JsonAnswer {
  readonly status: number
  readonly value: unknown
}

export const MAX_SOURCE_BYTES = 5 * 1024 * 1024
const TIMEOUT_MS = 30_000
const MAX_NESTING = 64

export function sendTo(http: HttpClient, label: string, request: Parameters<HttpClient['send']>[0]): Promise<HttpResponse> {
  return http.send(request).catch((error: unknown) => {
    if (!(error instanceof HttpClientError)) throw error
    throw new SourceError(label, error.reason === 'aborted' ? 'timeout' : error.reason, error.message, { cause: error })
  })
}

/** Refuses redirects. Throws SourceError. */
export async function requestJson(http: HttpClient, exchange: JsonRequest): Promise<JsonAnswer> {
  const { label, url, method, headers, body, signal, timeoutMs = TIMEOUT_MS } = exchange
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const request = {
    url,
    method,
    signal,
    timeoutMs,
    maxResponseBytes: MAX_SOURCE_BYTES,
    ...sent,
    headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
  }
  const response = await sendTo(http, label, request)
  const { status } = response
  if (status >= 300 && status <= 399)
    throw new SourceError(label, 'refused', `expected an answer, got a redirect (${status}), which is not followed`)
  const type = String(response.headers['content-type'] ?? '')
    .split(';')[0]
    ?.trim()
    .toLowerCase()
  if (!/^application\/([a-z0-9.-]+\+)?json$/.test(type ?? '')) {
    if (status > 299) throw new SourceError(label, 'refused', `expected status 200, got ${status}`)
    throw new SourceError(label, 'bad-answer', 'expected JSON, got an answer of another content type')
  }
  return { status, value: parseJson(label, response.body) }
}

export function parseJson(label: string, body: Uint8Array): unknown {
  if (nestingOf(body) > MAX_NESTING) throw new SourceError(label, 'bad-answer', `expected JSON nested at most ${MAX_NESTING} levels deep`)
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch (error) {
    throw new SourceError(label, 'bad-answer', 'expected JSON', { cause: error })
  }
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c]
const OPENING: readonly number[] = [0x5b, 0x7b]
const CLOSING: readonly number[] = [0x5d, 0x7d]

function nestingOf(body: Uint8Array): number {
  let [depth, deepest, inText] = [0, 0, false]
  for (let at = 0; at < body.length; at++) {
    const byte = body[at] as number
    if (inText) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) inText = false
    } else if (byte === QUOTE) inText = true
    else if (OPENING.includes(byte)) deepest = Math.max(deepest, ++depth)
    else if (CLOSING.includes(byte)) depth--
  }
  return deepest
}
