import { type HttpClient, HttpClientError, type HttpMethod } from '@keelson/runtime'
import type { FastifyReply } from 'fastify'
import { DATA_HEADERS } from '../security-headers.ts'
import { passedBack } from './passed-back.ts'
import { refuse } from './refusal.ts'

export interface Forwarded {
  /** In words for people: "the index". */
  readonly name: string
  readonly url: string
  readonly method: HttpMethod
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly timeoutMs: number
  readonly maxAnswerBytes: number
}

const RETRY_AFTER_SEC = 2

/** Never rejects: a service that fails becomes a refusal. */
export async function forward(http: HttpClient, request: Forwarded, reply: FastifyReply, signal: AbortSignal): Promise<FastifyReply> {
  const { name, url, method, headers, body, timeoutMs, maxAnswerBytes } = request
  try {
    const sent = { url, method, headers, timeoutMs, maxResponseBytes: maxAnswerBytes, signal }
    const answer = await http.send(body === undefined ? sent : { ...sent, body })
    reply.code(answer.status).headers({ ...DATA_HEADERS, ...passedBack(answer.headers), 'cache-control': 'no-store' })
    return reply.send(Buffer.from(answer.body.buffer, answer.body.byteOffset, answer.body.byteLength))
  } catch (error) {
    if (!(error instanceof HttpClientError)) throw error
    switch (error.reason) {
      case 'timeout':
        return refuse(reply, 504, 'timeout', `${name} did not answer within ${timeoutMs / 1000} s`, 'the same request later')
      case 'too-large':
        return refuse(reply, 502, 'too-large', `the answer of ${name} is larger than ${maxAnswerBytes} bytes`, 'a smaller question')
      default:
        reply.header('retry-after', String(RETRY_AFTER_SEC))
        return refuse(reply, 502, 'unreachable', `${name} does not answer`, 'the same request later')
    }
  }
}
