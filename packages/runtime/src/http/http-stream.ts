import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { HttpClientError, type HttpMethod } from './http-client.ts'

export interface HttpStreamRequest {
  readonly url: string
  readonly method: HttpMethod
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Until the status and headers are there. */
  readonly timeoutMs: number
  /** Also ends the body. */
  readonly signal: AbortSignal
}

/** A response whose body has not been read. The caller reads or destroys it. Throws HttpClientError. */
export function openHttpStream({ url, method, headers, body, timeoutMs, signal }: HttpStreamRequest): Promise<IncomingMessage> {
  const target = new URL(url)
  return new Promise((resolve, reject) => {
    const sent = body === undefined ? undefined : Buffer.from(body)
    const length = sent === undefined ? {} : { 'content-length': sent.length }
    const outgoing = (target.protocol === 'https:' ? requestHttps : requestHttp)(target, {
      method,
      headers: { ...headers, ...length },
      agent: false,
      signal,
    })
    const late = new HttpClientError('timeout', `no answer from ${target.host} within ${timeoutMs} ms`)
    const timer = setTimeout(() => outgoing.destroy(late), timeoutMs)
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer)
      if (error === late) return reject(late)
      const reason = signal.aborted ? 'aborted' : 'unreachable'
      reject(new HttpClientError(reason, `${target.host} cannot be reached (${error.code ?? error.message})`, { cause: error }))
    })
    outgoing.once('response', (response) => {
      clearTimeout(timer)
      resolve(response)
    })
    outgoing.end(sent)
  })
}
