import type { IncomingMessage } from 'node:http'
import type { Clock, Logger } from '@keelson/primitives'
import { verifyJwt } from './jwt.ts'
import type { JwtSecret } from './jwt-secret.ts'
import { isAllowedHost } from './origin.ts'

export interface RequestRefusalOptions {
  /** Name in logs and errors. */
  readonly name: string
  readonly virtualHosts?: readonly string[]
  readonly jwtSecret?: JwtSecret
  readonly secretName?: string
}

/** Null when the request may pass. */
export type RequestRefusal = (request: IncomingMessage) => Promise<{ readonly status: 401 | 403; readonly message: string } | null>

/** Checks the host name and the JWT, before anything else of a request is read. */
export function createRequestRefusal(
  { name, virtualHosts = ['localhost'], jwtSecret, secretName }: RequestRefusalOptions,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): RequestRefusal {
  return async (request) => {
    if (!isAllowedHost(request.headers.host, virtualHosts)) {
      return { status: 403, message: `this server does not answer to the host name ${String(request.headers.host)}` }
    }
    if (jwtSecret === undefined) return null
    const verdict = await verifyJwt(request.headers.authorization, jwtSecret, clock)
    if (verdict.ok) return null
    log.warn('rejected a JWT', { reason: verdict.reason, message: verdict.message, from: request.socket.remoteAddress })
    const isAboutSecret = verdict.reason === 'missing' || verdict.reason === 'wrong-secret'
    const which = secretName === undefined || !isAboutSecret ? '' : `; ${name} takes tokens signed with ${secretName}`
    return { status: 401, message: `${verdict.message}${which}` }
  }
}
