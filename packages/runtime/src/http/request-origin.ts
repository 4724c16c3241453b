/** Where a request came from. */
import type { IncomingMessage } from 'node:http'
import type { RequestOrigin } from '../json-rpc/access/rpc-access.ts'

export function originOf(request: IncomingMessage): RequestOrigin {
  return { ...anonymousOrigin(request), authorization: request.headers.authorization, path: pathOf(request) }
}

/** For servers whose callers have no keys. */
export function anonymousOrigin(request: IncomingMessage): RequestOrigin {
  return { peer: request.socket.remoteAddress, forwardedFor: forwardedForOf(request), authorization: undefined, path: '/' }
}

/** Several headers are one list. */
export function forwardedForOf({ headers }: IncomingMessage): string | undefined {
  const header = headers['x-forwarded-for']
  return Array.isArray(header) ? header.join(',') : header
}

export function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?')[0] || '/'
}
