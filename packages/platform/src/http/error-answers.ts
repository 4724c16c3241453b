/** From what was thrown to what is answered. Whatever nobody foresaw is a 500 that says nothing of the inside. */
import type { Logger } from '@keelson/primitives'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, InvalidRequest } from './api-error.ts'
import { checksummed } from './checksummed.ts'
import { failureFacts } from './failure-facts.ts'

export interface ErrorAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

export const MAX_BODY_BYTES = 10 * 1024 * 1024

/** `isOutage`: whether a failure is of something this service needs and will come back. */
export function answerError(error: unknown, isOutage: (error: unknown) => boolean): ErrorAnswer | null {
  if (error instanceof InvalidRequest) return { status: 422, headers: {}, body: { detail: error.issues } }
  if (error instanceof ApiError)
    return { status: error.status, headers: error.headers, body: checksummed({ detail: error.message, ...error.fields }) }
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown }
  if (isOutage(error)) return plain(503, 'The database cannot be reached: try again in a moment', { 'retry-after': '1' })
  if (typeof code === 'string' && code.startsWith('FST_ERR_') && typeof statusCode === 'number' && statusCode < 500) {
    return plain(400, (error as Error).message)
  }
  return null
}

export function plain(status: number, detail: string, headers: Readonly<Record<string, string>> = {}): ErrorAnswer {
  return { status, headers, body: { detail } }
}

export function createErrorHandler(log: Logger, isOutage: (error: unknown) => boolean) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const known = answerError(error, isOutage)
    const route = request.routeOptions.url ?? 'other'
    if (known === null) log.error('a request failed', { method: request.method, route, ...failureFacts(error) })
    else if (known.status === 503 && !(error instanceof ApiError))
      log.warn('the database cannot be reached', { route, ...failureFacts(error) })
    const { status, headers, body } = known ?? plain(500, 'Internal Server Error')
    return reply.code(status).headers(headers).type('application/json; charset=utf-8').serializer(JSON.stringify).send(body)
  }
}
