import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'

export type HttpMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export interface HttpRequest {
  readonly url: string
  readonly method: HttpMethod
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly timeoutMs: number
  readonly maxResponseBytes: number
  readonly signal?: AbortSignal
  /** Asked with the size of the body so far; false ends the request as `too-large`. */
  readonly hasRoom?: (bytes: number) => boolean
}

export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Uint8Array
}

export type HttpFailure = 'unreachable' | 'timeout' | 'aborted' | 'too-large'

/** The message omits the URL's path and query, which may hold keys. */
export class HttpClientError extends Error {
  readonly reason: HttpFailure
  constructor(reason: HttpFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

export interface HttpClient {
  /** Resolves for any status. Throws HttpClientError. */
  send(request: HttpRequest): Promise<HttpResponse>
  close(): void
}

/** Contents of PEM files. */
export interface TlsFiles {
  /** Certificates to trust instead of the system's. */
  readonly ca?: string | undefined
  readonly cert?: string | undefined
  readonly key?: string | undefined
}

export interface HttpClientOptions {
  readonly maxSockets?: number
  readonly lookup?: LookupFunction
  readonly tls?: TlsFiles
}

export function createHttpClient({ maxSockets = 32, lookup, tls = {} }: HttpClientOptions = {}): HttpClient {
  // Closes idle sockets before the server does, because reusing a closed one fails.
  const kept = { keepAlive: true, maxSockets, scheduling: 'lifo' as const, timeout: 60_000 }
  const agentOptions = lookup === undefined ? kept : { ...kept, lookup }
  const agents = { 'http:': new HttpAgent(agentOptions), 'https:': new HttpsAgent({ ...agentOptions, ...tls }) }
  return {
    send: (request) => sendOnce(request, agents).catch((error: unknown) => retryStaleSocket(error, request, agents)),
    close() {
      agents['http:'].destroy()
      agents['https:'].destroy()
    },
  }
}

type Agents = { readonly 'http:': HttpAgent; readonly 'https:': HttpsAgent }

class StaleSocketError extends Error {}

function retryStaleSocket(error: unknown, request: HttpRequest, agents: Agents): Promise<HttpResponse> {
  if (error instanceof StaleSocketError) return sendOnce(request, agents)
  return Promise.reject(error)
}

function sendOnce(request: HttpRequest, agents: Agents): Promise<HttpResponse> {
  const url = new URL(request.url)
  const host = url.host
  return new Promise((resolve, reject) => {
    const secure = url.protocol === 'https:'
    const body = request.body === undefined ? undefined : Buffer.from(request.body)
    const headers = { ...basicAuth(url), ...request.headers, ...(body === undefined ? {} : { 'content-length': body.length }) }
    const outgoing = (secure ? requestHttps : requestHttp)(url, {
      method: request.method,
      headers,
      agent: secure ? agents['https:'] : agents['http:'],
    })
    let over = false
    const end = (result: HttpResponse | Error) => {
      if (over) return
      over = true
      clearTimeout(timer)
      request.signal?.removeEventListener('abort', onAbort)
      if (result instanceof Error) {
        reject(result)
        outgoing.destroy()
      } else resolve(result)
    }
    const onAbort = () => end(new HttpClientError('aborted', `the request to ${host} was aborted`, { cause: request.signal?.reason }))
    const timer = setTimeout(
      () => end(new HttpClientError('timeout', `no answer from ${host} within ${request.timeoutMs} ms`)),
      request.timeoutMs,
    )
    request.signal?.addEventListener('abort', onAbort, { once: true })
    if (request.signal?.aborted) onAbort()
    outgoing.once('error', (error: NodeJS.ErrnoException) => {
      if (outgoing.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')) return end(new StaleSocketError(error.message))
      end(new HttpClientError('unreachable', `${host} cannot be reached (${error.code ?? error.message})`, { cause: error }))
    })
    outgoing.once('response', (response) => collect(response, host, request, end))
    outgoing.end(body)
  })
}

function collect(
  response: IncomingMessage,
  host: string,
  { maxResponseBytes: maxBytes, hasRoom = () => true }: HttpRequest,
  end: (result: HttpResponse | Error) => void,
): void {
  const chunks: Buffer[] = []
  let bytes = 0
  const tooLarge = () => end(new HttpClientError('too-large', `the response of ${host} is larger than ${maxBytes} bytes`))
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) {
    tooLarge()
    return
  }
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxBytes || !hasRoom(bytes)) tooLarge()
    else chunks.push(chunk)
  })
  response.once('error', (error) =>
    end(new HttpClientError('unreachable', `${host} closed the connection during its response`, { cause: error })),
  )
  response.once('end', () =>
    end({ status: response.statusCode ?? 0, headers: response.headers, body: new Uint8Array(Buffer.concat(chunks)) }),
  )
}

function basicAuth(url: URL): Record<string, string> {
  if (url.username === '') return {}
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
}
