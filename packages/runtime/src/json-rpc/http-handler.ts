/** One HTTP request to a JSON-RPC server: who may call, how much may be sent, what comes back. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '@keelson/primitives'
import type { ClientBudgets } from './client-budgets.ts'
import type { Dispatcher, RpcLimits } from './dispatch.ts'
import { isAllowedOrigin } from './origin.ts'

export interface HttpHandlerOptions {
  readonly dispatcher: Dispatcher
  readonly limits: RpcLimits
  readonly origins: readonly string[]
  readonly budgets: ClientBudgets | null
  readonly log: Logger
  readonly stopping: AbortSignal
  refusal(request: IncomingMessage): Promise<{ readonly status: number; readonly message: string } | null>
}

/** A simple form or script of a foreign page can post text, not these. */
const JSON_TYPES = ['application/json', 'application/json-rpc', 'application/jsonrequest']
const PREFLIGHT_AGE_SEC = 600

export function createHttpHandler(options: HttpHandlerOptions): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const { limits, origins } = options

  return async (request, response) => {
    const { origin } = request.headers
    if (origin !== undefined && isAllowedOrigin(origin, origins)) {
      response.setHeader('access-control-allow-origin', origins.includes('*') ? '*' : origin)
      response.setHeader('vary', 'origin')
    }
    if (request.method === 'OPTIONS') return answerPreflight(response)
    const refused = await options.refusal(request)
    if (refused !== null) return sayNo(request, response, refused.status, refused.message)
    if (request.method === 'GET' || request.method === 'HEAD') {
      response.writeHead(200, { 'content-length': 0 }).end()
      return
    }
    if (request.method !== 'POST') return sayNo(request, response, 405, 'send JSON-RPC by POST')
    const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
    if (!JSON_TYPES.includes(type)) return sayNo(request, response, 415, `content type must be application/json, got "${type}"`)
    const body = await readBody(request, limits.maxBodyBytes)
    if (body === 'too-large') return sayNo(request, response, 413, `the request is larger than ${limits.maxBodyBytes} bytes`)
    if (body === 'gone') return
    await answer(body, request, response)
  }

  async function answer(body: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController()
    const abort = () => gone.abort(new DOMException('the caller has gone', 'AbortError'))
    response.once('close', abort)
    options.stopping.addEventListener('abort', abort, { once: true })
    const address = request.socket.remoteAddress ?? 'unknown'
    const admit = options.budgets === null ? undefined : (calls: number) => options.budgets?.admit(address, calls) === true
    const { text, rateLimited } = await options.dispatcher.dispatch(body, { signal: gone.signal, transport: 'http' }, admit)
    options.stopping.removeEventListener('abort', abort)
    response.off('close', abort)
    if (response.destroyed) return
    if (rateLimited) response.setHeader('retry-after', '1')
    const bytes = Buffer.from(text ?? '')
    response.writeHead(rateLimited ? 429 : 200, { 'content-type': 'application/json', 'content-length': bytes.length }).end(bytes)
  }
}

function answerPreflight(response: ServerResponse): void {
  // without the allow-origin header set above, the browser refuses by itself
  response
    .writeHead(204, {
      'access-control-allow-methods': 'POST, GET, OPTIONS',
      'access-control-allow-headers': 'content-type, authorization',
      'access-control-max-age': String(PREFLIGHT_AGE_SEC),
    })
    .end()
}

function sayNo(request: IncomingMessage, response: ServerResponse, status: number, message: string): void {
  const bytes = Buffer.from(`${message}\n`)
  // the rest of the body is not wanted, so the connection cannot be used again
  if (!request.complete) response.setHeader('connection', 'close')
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'content-length': bytes.length }).end(bytes)
}

function readBody(request: IncomingMessage, maxBytes: number): Promise<string | 'too-large' | 'gone'> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve('too-large')
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxBytes) {
        request.pause()
        resolve('too-large')
      } else {
        chunks.push(chunk)
      }
    })
    request.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    request.once('error', () => resolve('gone'))
    request.once('close', () => resolve('gone'))
  })
}
