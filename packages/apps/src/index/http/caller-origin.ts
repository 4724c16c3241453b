import type { RequestOrigin } from '@keelson/runtime'
import type { FastifyRequest } from 'fastify'

export function originOf(request: FastifyRequest): RequestOrigin {
  const header = request.headers['x-forwarded-for']
  return {
    peer: request.socket.remoteAddress,
    forwardedFor: Array.isArray(header) ? header.join(',') : header,
    authorization: undefined,
    path: '/',
  }
}
