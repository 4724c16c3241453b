/** Passes the requests of a standby on to the leader, as a proxy does. */
import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { pipeline } from 'node:stream'
import type { Clock } from '@keelson/primitives'
import { forwardedForOf, retryAfter } from '@keelson/runtime'
import { timeText } from '../http/answers.ts'

export interface ForwardOptions {
  /** Limit on the time between bytes, which a claim spends waiting for its payment. */
  readonly timeoutMs: number
}

export interface ForwardDependencies {
  /** Null while there is none. */
  leaderUrl(): string | null
  readonly clock: Pick<Clock, 'nowMs'>
}

const MAX_UNDER_WAY = 1_000
const MAX_SOCKETS = 256
const MAX_BODY_BYTES = 8_192
const RETRY_MS = 2_000
/** Marks a forwarded request: two instances that each take the other for the leader must not send it in a circle. */
const MARK = 'keelson-forwarded'
const OF_THE_CONNECTION = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
  'expect',
]

export function createForwarder({ timeoutMs }: ForwardOptions, { leaderUrl, clock }: ForwardDependencies) {
  const kept = { keepAlive: true, maxSockets: MAX_SOCKETS, timeout: 10_000 }
  const agents = { http: new HttpAgent(kept), https: new HttpsAgent(kept) }
  let underWay = 0

  function refuse(response: ServerResponse, text: string, status = 503, code = 'no-leader'): void {
    if (response.headersSent || response.destroyed) return void response.destroy()
    const body = JSON.stringify({ success: false, error: text, code, nextClaimTime: timeText(clock.nowMs()) })
    const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', 'retry-after': retryAfter(RETRY_MS) }
    response.writeHead(status, headers).end(body)
  }

  const handler: RequestListener = async (request, response) => {
    const leader = leaderUrl()
    if (leader === null || request.headers[MARK] !== undefined) {
      return refuse(response, 'the instances of the faucet are electing the one that pays: try again in a few seconds')
    }
    if (underWay >= MAX_UNDER_WAY) return refuse(response, 'too many requests are under way: try again in a few seconds')
    underWay++
    response.once('close', () => underWay--)
    const body = await readWhole(request)
    if (body === null) return refuse(response, `the body is larger than ${MAX_BODY_BYTES} bytes`, 413, 'request')
    if (response.destroyed) return
    const url = new URL(leader)
    const secure = url.protocol === 'https:'
    const outgoing = (secure ? httpsRequest : httpRequest)({
      protocol: url.protocol,
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port,
      method: request.method,
      path: request.url,
      headers: {
        ...forwardedHeaders(request.headers, forwardedForOf(request), request.socket.remoteAddress),
        'content-length': body.length,
      },
      agent: secure ? agents.https : agents.http,
      timeout: timeoutMs,
    })
    outgoing.once('timeout', () => outgoing.destroy(new Error('timeout')))
    outgoing.on('error', () =>
      refuse(response, 'the instance of the faucet that pays does not answer: send the claim again with the same Idempotency-Key'),
    )
    outgoing.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, withoutThose(answer.headers))
      pipeline(answer, response, () => undefined)
    })
    response.once('close', () => outgoing.destroy())
    outgoing.end(body)
  }

  return {
    handler,
    close() {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

/**
 * Null when the request is too long or ends early. A body is sent only whole and with its length: without one, the leader would read
 * the body of a GET as another request of a proxy it trusts.
 */
async function readWhole(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > MAX_BODY_BYTES) return null
      chunks.push(chunk)
    }
  } catch {
    return null
  }
  return Buffer.concat(chunks)
}

function forwardedHeaders(headers: IncomingHttpHeaders, forwardedFor: string | undefined, peer: string | undefined) {
  const chain = [forwardedFor, peer].filter((part) => part !== undefined && part !== '').join(', ')
  return { ...withoutThose(headers), 'x-forwarded-for': chain, [MARK]: '1' }
}

function withoutThose(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.includes(name)))
}
