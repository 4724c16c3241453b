import { type AnswerMemory, AnswersFullError, type HttpClient, HttpClientError, type HttpMethod } from '@keelson/runtime'
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
  /** Whose share of the memory for answers it uses. */
  readonly caller: string | null
}

export interface ForwardDependencies {
  readonly http: HttpClient
  readonly answers: AnswerMemory
}

const RETRY_AFTER_SEC = 2

/** A service that fails becomes a refusal. Throws AnswersFullError. */
export async function forward(
  { http, answers }: ForwardDependencies,
  request: Forwarded,
  reply: FastifyReply,
  signal: AbortSignal,
): Promise<FastifyReply> {
  const { name, url, method, headers, body, timeoutMs, maxAnswerBytes, caller } = request
  let isFull = false
  const hasRoom = (bytes: number) => {
    isFull = !answers.hold(reply.raw, caller, bytes)
    return !isFull
  }
  try {
    const sent = { url, method, headers, timeoutMs, maxResponseBytes: maxAnswerBytes, signal, hasRoom }
    const answer = await http.send(body === undefined ? sent : { ...sent, body })
    reply.code(answer.status).headers({ ...DATA_HEADERS, ...passedBack(answer.headers), 'cache-control': 'no-store' })
    return reply.send(Buffer.from(answer.body.buffer, answer.body.byteOffset, answer.body.byteLength))
  } catch (error) {
    if (!(error instanceof HttpClientError)) throw error
    switch (error.reason) {
      case 'timeout':
        return refuse(reply, 504, 'timeout', `${name} did not answer within ${timeoutMs / 1000} s`, 'the same request later')
      case 'too-large':
        if (isFull) throw new AnswersFullError()
        return refuse(reply, 502, 'too-large', `the answer of ${name} is larger than ${maxAnswerBytes} bytes`, 'a smaller question')
      default:
        reply.header('retry-after', String(RETRY_AFTER_SEC))
        return refuse(reply, 502, 'unreachable', `${name} does not answer`, 'the same request later')
    }
  }
}
