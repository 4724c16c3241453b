import type { IncomingMessage } from 'node:http'
import type { RequestOrigin } from './access/rpc-access.ts'

export function originOf(request: IncomingMessage): RequestOrigin {
  const forwardedFor = request.headers['x-forwarded-for']
  return {
    peer: request.socket.remoteAddress,
    forwardedFor: Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor,
    authorization: request.headers.authorization,
    path: pathOf(request),
  }
}

export function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?')[0] || '/'
}
