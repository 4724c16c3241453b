import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '@keelson/primitives'
import { AnswerMemory } from '../http/answer-memory.ts'
import type { ByteBudget } from '../http/byte-budget.ts'
import { corsHeaders } from '../http/cors.ts'
import type { Compressor } from '../http/gzip.ts'
import { asksForPage, type PortPage, sendPortPage } from '../http/port-page.ts'
import { originOf } from '../http/request-origin.ts'
import { retryAfter } from '../http/retry-after.ts'
import { limitedClient, type RpcAccess, type RpcCaller, type RpcEntry } from './access/rpc-access.ts'
import type { RpcLimits } from './answerer.ts'
import { type Dispatcher, maxBodyBytes, type RpcAnswer } from './dispatch.ts'
import { BLOCK_HEADER, MIN_BLOCK_HEADER, type MinBlock, type MinBlockRefusal } from './min-block.ts'
import { readBody } from './read-body.ts'
import type { RequestRefusal } from './request-refusal.ts'
import { RPC_ERROR_NUMBERS } from './rpc-error.ts'

export interface HttpHandlerOptions {
  readonly dispatcher: Dispatcher
  readonly limits: RpcLimits
  readonly origins: readonly string[]
  readonly access: RpcAccess | null
  /** Null for a server without a chain. */
  readonly minBlock: MinBlock | null
  readonly compressor: Compressor | null
  readonly memory: ByteBudget
  readonly log: Logger
  readonly stopping: AbortSignal
  readonly page: PortPage
  readonly refusal: RequestRefusal
}

/** Other sites cannot send these without a CORS preflight. */
const JSON_TYPES = ['application/json', 'application/json-rpc', 'application/jsonrequest']
const ALLOW = 'POST, GET, HEAD, OPTIONS'
const CORS = {
  methods: ['POST', 'GET', 'OPTIONS'],
  headers: ['content-type', 'authorization', MIN_BLOCK_HEADER],
  exposed: ['retry-after', BLOCK_HEADER],
}
const BUSY_WAIT_MS = 1000
/** Rest of a refused body that is discarded to keep the connection; more closes it. */
const MAX_DISCARDED_BYTES = 16 * 1024

export function createHttpHandler(options: HttpHandlerOptions): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const { limits, origins, memory } = options
  const answers = new AnswerMemory(memory)

  return async (request, response) => {
    for (const [name, value] of Object.entries(corsHeaders(request, { ...CORS, origins }))) response.setHeader(name, value)
    if (request.method === 'OPTIONS') {
      response.writeHead(204, { allow: ALLOW }).end()
      return
    }
    const refused = await options.refusal(request)
    if (refused !== null) return sayNo(request, response, refused.status, refused.message)
    if (request.method !== 'POST' && request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', ALLOW)
      return sayNo(request, response, 405, 'send JSON-RPC by POST')
    }
    const entry = options.access?.identify(originOf(request))
    if (entry?.ok === false) return refuseEntry(request, response, entry)
    if (asksForPage(request)) return sendPortPage(response, options.page)
    if (request.method !== 'POST') {
      response.writeHead(200, { 'content-length': 0 }).end()
      return
    }
    const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
    if (!JSON_TYPES.includes(type)) return sayNo(request, response, 415, `content type must be application/json, got "${type}"`)
    const overdrawn = entry === undefined ? null : options.dispatcher.admit(entry.caller)
    if (overdrawn !== null) return refuseUnread(request, response, overdrawn)
    const mostBytes = maxBodyBytes(limits, entry?.caller)
    const client = limitedClient(entry?.caller)
    const body = await readBody(request, mostBytes, memory, client)
    switch (body.ended) {
      case 'too-large':
        return sayNo(request, response, 413, `the request is larger than ${mostBytes} bytes`)
      case 'no-memory':
        response.setHeader('retry-after', retryAfter(BUSY_WAIT_MS))
        return sayNo(request, response, 503, 'too many large requests and responses in progress; retry later')
      case 'gone':
        return
      case 'complete':
        try {
          await answer(body.text, request, response, entry?.caller)
        } finally {
          memory.release(body.bytes, client)
        }
    }
  }

  /** Null when the node lacks the block that the request names, and the response says so. */
  async function atBlock(
    request: IncomingMessage,
    response: ServerResponse,
    caller: RpcCaller | undefined,
    gone: AbortSignal,
    dispatch: () => Promise<RpcAnswer>,
  ): Promise<RpcAnswer | null> {
    const wanted = request.headers[MIN_BLOCK_HEADER]
    const { minBlock } = options
    if (minBlock === null || typeof wanted !== 'string') return dispatch()
    const refusal = await minBlock.await(wanted, limitedClient(caller), gone)
    if (refusal !== null) {
      if (!response.destroyed) refuseBlock(response, refusal)
      return null
    }
    const answered = await dispatch()
    // Read after the answer, so that it is no lower than any block that the answer reflects.
    response.setHeader(BLOCK_HEADER, String(await minBlock.head()))
    return answered
  }

  async function answer(body: string, request: IncomingMessage, response: ServerResponse, caller: RpcCaller | undefined): Promise<void> {
    const gone = new AbortController()
    const abort = () => gone.abort(new DOMException('the caller has gone', 'AbortError'))
    response.once('close', abort)
    options.stopping.addEventListener('abort', abort, { once: true })
    const context = { signal: gone.signal, transport: 'http' } as const
    const answered = await atBlock(request, response, caller, gone.signal, () =>
      options.dispatcher.dispatch(body, context, caller, caller === undefined ? 0 : 1),
    )
    options.stopping.removeEventListener('abort', abort)
    response.off('close', abort)
    if (answered === null || response.destroyed) return
    const { text, waitMs } = answered
    const plain = Buffer.from(text ?? '')
    const compressed = await options.compressor?.compress(plain, request.headers['accept-encoding'])
    if (response.destroyed) return
    const bytes = compressed ?? plain
    if (!answers.hold(response, limitedClient(caller), bytes.length)) {
      response.setHeader('retry-after', retryAfter(BUSY_WAIT_MS))
      return sayNo(request, response, 503, 'too many large requests and responses in progress; retry later')
    }
    if (waitMs !== null) response.setHeader('retry-after', retryAfter(waitMs))
    if (options.compressor !== null) response.appendHeader('vary', 'accept-encoding')
    if (compressed !== undefined && compressed !== null) response.setHeader('content-encoding', 'gzip')
    response.writeHead(waitMs === null ? 200 : 429, { 'content-type': 'application/json', 'content-length': bytes.length }).end(bytes)
  }
}

/** Clients expect a JSON-RPC error. */
function refuseEntry(
  request: IncomingMessage,
  response: ServerResponse,
  { status, message, waitMs }: RpcEntry & { readonly ok: false },
): void {
  if (status === 404) {
    sayNo(request, response, status, message)
    return
  }
  if (status === 401) response.setHeader('www-authenticate', 'Bearer')
  if (waitMs !== undefined) response.setHeader('retry-after', retryAfter(waitMs))
  if (!request.complete) response.setHeader('connection', 'close')
  const code = status === 429 ? RPC_ERROR_NUMBERS.rateLimited : RPC_ERROR_NUMBERS.invalidRequest
  sendJson(response, { status, body: JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }) })
}

function refuseUnread(request: IncomingMessage, response: ServerResponse, { text, waitMs }: RpcAnswer): void {
  response.setHeader('retry-after', retryAfter(waitMs ?? 0))
  const length = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY)
  if (!request.complete && !(length <= MAX_DISCARDED_BYTES)) response.setHeader('connection', 'close')
  sendJson(response, { status: 429, body: text ?? '' })
}

function refuseBlock(response: ServerResponse, { status, message }: NonNullable<MinBlockRefusal>): void {
  const code = status === 400 ? RPC_ERROR_NUMBERS.invalidRequest : RPC_ERROR_NUMBERS.server
  sendJson(response, { status, body: JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }) })
}

export function sendJson(response: ServerResponse, { status, body }: { readonly status: number; readonly body: string }): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body)
}

function sayNo(request: IncomingMessage, response: ServerResponse, status: number, message: string): void {
  const bytes = Buffer.from(`${message}\n`)
  // The unread body prevents reuse of the connection.
  if (!request.complete) response.setHeader('connection', 'close')
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'content-length': bytes.length }).end(bytes)
}
