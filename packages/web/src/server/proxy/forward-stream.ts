/** Passes server-sent events on as they come. */
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Clock } from '@keelson/primitives'
import { HttpClientError, type HttpStreamRequest, openHttpStream } from '@keelson/runtime'
import type { FastifyReply } from 'fastify'
import { DATA_HEADERS } from '../security-headers.ts'
import { passedBack } from './passed-back.ts'
import { refuse } from './refusal.ts'

export interface StreamLimits {
  /** A client resumes a stream that ends by its age. */
  readonly maxMs: number
  readonly maxBytes: number
}

export interface ForwardedStream extends Omit<HttpStreamRequest, 'signal'> {
  /** In words for people. */
  readonly name: string
}

/** Never rejects. The request to the service ends when the browser leaves, when a limit is reached and when the server stops. */
export async function forwardStream(
  { name, ...request }: ForwardedStream,
  reply: FastifyReply,
  { maxMs, maxBytes }: StreamLimits,
  { clock, stopping }: { readonly clock: Clock; readonly stopping: AbortSignal },
): Promise<FastifyReply> {
  const { raw } = reply
  const over = new AbortController()
  const end = () => over.abort()
  raw.once('close', end)
  void clock.sleep(maxMs, over.signal).then(end, () => undefined)
  const signal = AbortSignal.any([over.signal, stopping])
  try {
    const answer = await openHttpStream({ ...request, signal })
    reply.hijack()
    raw.writeHead(answer.statusCode ?? 502, {
      ...DATA_HEADERS,
      ...passedBack(answer.headers),
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    raw.flushHeaders()
    await pipeline(answer, atMost(maxBytes), raw, { signal }).catch(() => raw.destroy())
    return reply
  } catch (error) {
    if (!(error instanceof HttpClientError)) throw error
    if (raw.destroyed) return reply.hijack()
    if (error.reason === 'timeout')
      return refuse(reply, 504, 'timeout', `${name} did not answer within ${request.timeoutMs / 1000} s`, 'the same request later')
    reply.header('retry-after', '2')
    return refuse(reply, 502, 'unreachable', `${name} does not answer`, 'the same request later')
  } finally {
    over.abort()
  }
}

function atMost(maxBytes: number): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > maxBytes) done(new RangeError(`a stream may have ${maxBytes} bytes`))
      else done(null, chunk)
    },
  })
}
