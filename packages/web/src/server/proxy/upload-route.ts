/** Sources of contracts: larger bodies and longer waits than other requests have. The index compiles one contract at a time. */
import type { HttpClient } from '@keelson/runtime'
import type { FastifyInstance } from 'fastify'
import { type Callers, forwardedFor } from '../callers.ts'
import { forward } from './forward.ts'
import { refuse } from './refusal.ts'
import { servicePath } from './service-path.ts'

export interface UploadRouteDependencies {
  readonly http: HttpClient
  readonly callers: Callers
  readonly stopping: AbortSignal
}

const MAX_UPLOAD_BYTES = 1024 * 1024
const MAX_ANSWER_BYTES = 8 * 1024 * 1024
/** The longest wait for the compiler is 200 s. */
export const UPLOAD_TIMEOUT_MS = 210_000
const PRICE = 5

export function addUploadRoute(app: FastifyInstance, index: string, { http, callers, stopping }: UploadRouteDependencies): void {
  app.post(
    '/api/index/contracts/:address/verify',
    {
      bodyLimit: MAX_UPLOAD_BYTES,
      // Before the body is in memory.
      onRequest: async (request, reply) => {
        const leave = callers.enter(request, PRICE, reply, 'upload')
        if (leave === null) return reply
        reply.raw.once('close', leave)
      },
    },
    async (request, reply) => {
      const path = servicePath(request.raw.url ?? '', '/api/index', '/api')
      if (path === null) return refuse(reply, 400, 'bad-path', 'the path is not valid', 'a path without "..", "//" or backslashes')
      const gone = new AbortController()
      reply.raw.once('close', () => gone.abort())
      const target = {
        name: 'the index',
        url: index.replace(/\/+$/, '') + path,
        method: 'POST' as const,
        headers: { 'content-type': 'application/json', accept: 'application/json', 'x-forwarded-for': forwardedFor(request) },
        body: typeof request.body === 'string' ? request.body : '',
        timeoutMs: UPLOAD_TIMEOUT_MS,
        maxAnswerBytes: MAX_ANSWER_BYTES,
      }
      return forward(http, target, reply, AbortSignal.any([stopping, gone.signal]))
    },
  )
}
