/** Sends one request without retries, bounded in time and size. A failure is a result. */

import { createWsRpcClient, RpcResponseError, type WsRpcClient } from '@keelson/client'
import { messageOf } from '@keelson/primitives'
import {
  createHttpClient,
  createSilentLogger,
  createSystemClock,
  createSystemRandom,
  type HttpClient,
  HttpClientError,
  type HttpResponse,
} from '@keelson/runtime'

export type Answer =
  | { readonly kind: 'result'; readonly value: unknown }
  | { readonly kind: 'rpc-error'; readonly number: number; readonly text: string }
  | { readonly kind: 'http-error'; readonly status: number; readonly text: string; readonly value: unknown }
  | { readonly kind: 'unreachable'; readonly why: string }

export interface ClockSample {
  readonly host: string
  /** Our clock minus the server's. */
  readonly offsetMs: number
  /** Covers the rounding of the Date header and the response time. */
  readonly errorMs: number
}

export interface Probe {
  call(url: string, method: string, params: readonly unknown[], headers?: Readonly<Record<string, string>>): Promise<Answer>
  get(url: string, path: string): Promise<Answer>
  /** Takes clock samples of what another client is answered. */
  sampling(client: HttpClient): HttpClient
  readonly clockSamples: readonly ClockSample[]
  /** Returns our time for an unknown host. */
  nowAtMs(url: string): number
  close(): void
}

const MAX_RESPONSE_BYTES = 32 * 1024 * 1024
const MAX_TEXT = 300
const HALF_SECOND_MS = 500

export function createProbe(options: { readonly timeoutMs: number; readonly nowMs: () => number }): Probe {
  const http = createHttpClient({ maxSockets: 8 })
  const samples = new Map<string, ClockSample>()
  const sockets = new Map<string, WsRpcClient>()

  function sample(host: string, response: HttpResponse, sentMs: number): void {
    const { date } = response.headers
    const theirs = typeof date === 'string' ? Date.parse(date) : Number.NaN
    if (Number.isNaN(theirs)) return
    const receivedMs = options.nowMs()
    const errorMs = HALF_SECOND_MS + (receivedMs - sentMs) / 2
    if ((samples.get(host)?.errorMs ?? Number.POSITIVE_INFINITY) <= errorMs) return
    samples.set(host, { host, offsetMs: (sentMs + receivedMs) / 2 - (theirs + HALF_SECOND_MS), errorMs })
  }

  async function send(url: string, request: { method: 'GET' | 'POST'; headers: Record<string, string>; body?: string }): Promise<Answer> {
    const { host } = new URL(url)
    const sentMs = options.nowMs()
    try {
      const response = await http.send({ url, timeoutMs: options.timeoutMs, maxResponseBytes: MAX_RESPONSE_BYTES, ...request })
      sample(host, response, sentMs)
      return read(response)
    } catch (error) {
      if (error instanceof HttpClientError) return { kind: 'unreachable', why: error.message }
      throw error
    }
  }

  async function callSocket(url: string, method: string, params: readonly unknown[]): Promise<Answer> {
    let socket = sockets.get(url)
    if (socket === undefined) {
      const world = { clock: createSystemClock(), random: createSystemRandom(), log: createSilentLogger() }
      socket = createWsRpcClient({ url, timeoutMs: options.timeoutMs, retry: { attempts: 1 } }, world)
      sockets.set(url, socket)
    }
    try {
      return { kind: 'result', value: await socket.call(method, params) }
    } catch (error) {
      if (error instanceof RpcResponseError) return { kind: 'rpc-error', number: error.number, text: error.text.slice(0, MAX_TEXT) }
      return { kind: 'unreachable', why: messageOf(error) }
    }
  }

  return {
    async call(url, method, params, headers = {}) {
      if (url.startsWith('ws')) return callSocket(url, method, params)
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const answer = await send(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })
      if (answer.kind !== 'result') return answer
      const { result, error } = (answer.value ?? {}) as { result?: unknown; error?: { code?: unknown; message?: unknown } }
      if (error !== undefined && error !== null)
        return { kind: 'rpc-error', number: Number(error.code), text: String(error.message).slice(0, MAX_TEXT) }
      return { kind: 'result', value: result ?? null }
    },
    get: (url, path) => send(joined(url, path), { method: 'GET', headers: { accept: 'application/json' } }),
    sampling: (client) => ({
      ...client,
      async send(request) {
        const sentMs = options.nowMs()
        const response = await client.send(request)
        sample(new URL(request.url).host, response, sentMs)
        return response
      },
    }),
    get clockSamples() {
      return [...samples.values()]
    },
    nowAtMs: (url) => options.nowMs() - (samples.get(new URL(url).host)?.offsetMs ?? 0),
    close() {
      http.close()
      for (const socket of sockets.values()) socket.close()
    },
  }
}

function read({ status, body }: HttpResponse): Answer {
  const text = new TextDecoder().decode(body)
  const value = parseJson(text)
  if (status >= 200 && status < 300 && value !== undefined) return { kind: 'result', value }
  const message = (value as { error?: { message?: unknown } } | undefined)?.error?.message
  return { kind: 'http-error', status, text: (typeof message === 'string' ? message : text).trim().slice(0, MAX_TEXT), value }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Keeps a provider's path and query, which may hold its key. */
function joined(base: string, path: string): string {
  const url = new URL(base)
  const [pathname, query] = path.split('?')
  url.pathname = `${url.pathname.replace(/\/$/, '')}${pathname}`
  for (const [name, value] of new URLSearchParams(query ?? '')) url.searchParams.set(name, value)
  return url.href
}

export function troubleOf(answer: Exclude<Answer, { kind: 'result' }>): string {
  if (answer.kind === 'unreachable') return answer.why
  if (answer.kind === 'http-error') return `HTTP ${answer.status}${answer.text === '' ? '' : `: ${answer.text}`}`
  return `error ${answer.number}: ${answer.text}`
}

export function quantityOf(answer: Answer): bigint | null {
  return answer.kind === 'result' && typeof answer.value === 'string' && /^0x[0-9a-f]+$/i.test(answer.value) ? BigInt(answer.value) : null
}
