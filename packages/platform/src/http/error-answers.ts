/** An unexpected error becomes a 500 that reveals nothing. */
import type { Logger } from '@keelson/primitives'
import { AnswersFullError } from '@keelson/runtime'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, InvalidRequest } from './api-error.ts'
import { checksummed } from './checksummed.ts'
import { failureFacts } from './failure-facts.ts'

interface ErrorAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

function answerError(error: unknown, isOutage: (error: unknown) => boolean): ErrorAnswer | null {
  if (error instanceof InvalidRequest) return { status: 422, body: { detail: error.issues } }
  if (error instanceof ApiError)
    return { status: error.status, headers: error.headers, body: checksummed({ detail: error.message, ...error.fields }) }
  if (error instanceof AnswersFullError) return { status: 503, headers: { 'retry-after': '1' }, body: { detail: error.message } }
  if (isOutage(error))
    return { status: 503, headers: { 'retry-after': '1' }, body: { detail: 'The database cannot be reached: try again in a moment' } }
  const { code, statusCode, message } = error as { code?: unknown; statusCode?: unknown; message?: string }
  const isRequestFault = typeof code === 'string' && code.startsWith('FST_ERR_') && typeof statusCode === 'number' && statusCode < 500
  return isRequestFault ? { status: 400, body: { detail: message } } : null
}

export function createErrorHandler(log: Logger, isOutage: (error: unknown) => boolean) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const known = answerError(error, isOutage)
    const route = request.routeOptions.url ?? 'other'
    if (known === null) log.error('request failed', { method: request.method, route, ...failureFacts(error) })
    else if (known.status === 503 && !(error instanceof ApiError)) log.warn('database unavailable', { route, ...failureFacts(error) })
    const { status, headers = {}, body } = known ?? { status: 500, body: { detail: 'Internal Server Error' } }
    return reply.code(status).headers(headers).type('application/json; charset=utf-8').serializer(JSON.stringify).send(body)
  }
}
