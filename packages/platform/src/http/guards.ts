/** Who may pass: hooks that look at the bearer token before the body is read. 401 for whatever is not the token the route takes. */
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { ApiError, unauthorized } from './api-error.ts'
import type { RateLimitStore } from './rate-limit-store.ts'
import { scaledLimit } from './rate-limits.ts'
import type { Caller, RouteAuth } from './route.ts'

export interface Authenticator {
  /** Whose the token says it is; null when it is no token of ours, or has expired. */
  verify(token: string): Promise<Caller | null>
  /** Whether this session or user is there. */
  isThere(caller: Caller): Promise<boolean>
}

export interface Guards {
  readonly requireUser: onRequestAsyncHookHandler
  readonly requireSession: onRequestAsyncHookHandler
  readonly requireEither: onRequestAsyncHookHandler
  /** Lets pass who sends no token at all. */
  readonly sessionOrNone: onRequestAsyncHookHandler
  /** After one of the others: lets nobody pass whose session or user is gone. */
  readonly requirePresence: onRequestAsyncHookHandler
  /** Null before a guard let the request pass, and on routes without one. */
  callerOf(request: FastifyRequest): Caller | null
}

const INVALID = 'Invalid or expired token: log in again'

/** Wrong tokens of one address; a right one passes whatever others of the address sent. */
const WRONG_TOKENS = { requests: 300, windowMs: 60_000 }

export interface GuardContext {
  readonly limits: RateLimitStore
  /** Multiplies the limit of wrong tokens, like all other limits. */
  readonly limitScale: number
  subscriberOf(request: FastifyRequest): string
}

export function createGuards(authenticator: Authenticator, { limits, limitScale, subscriberOf }: GuardContext): Guards {
  const wrongTokens = scaledLimit(WRONG_TOKENS, limitScale)
  const callers = new WeakMap<FastifyRequest, Caller>()
  const refuse = async (request: FastifyRequest, detail: string): Promise<never> => {
    const { allowed, retryAfterMs } = await limits.take(`wrong-token:${subscriberOf(request)}`, wrongTokens)
    if (allowed) throw unauthorized(detail)
    throw new ApiError(429, 'Rate limit exceeded: too many invalid tokens from this address', {
      headers: { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) },
    })
  }
  const guard = (tier: Exclude<RouteAuth, 'none' | 'session-or-none'>): onRequestAsyncHookHandler =>
    async function requireToken(request) {
      const token = bearerToken(request.headers.authorization)
      if (token === null) return refuse(request, 'Not authenticated')
      const caller = await authenticator.verify(token)
      if (caller === null) return refuse(request, INVALID)
      if (tier !== 'either' && caller.tier !== tier) {
        return refuse(request, `Invalid token: this endpoint takes a ${tier} token, and this is a ${caller.tier} token`)
      }
      callers.set(request, caller)
    }
  const requireSession = guard('session')
  return {
    requireUser: guard('user'),
    requireSession,
    requireEither: guard('either'),
    async sessionOrNone(request, reply) {
      if (request.headers.authorization !== undefined) await requireSession.call(request.server, request, reply)
    },
    async requirePresence(request) {
      const caller = callers.get(request)
      if (caller === undefined || (await authenticator.isThere(caller))) return
      callers.delete(request)
      await refuse(request, INVALID)
    },
    callerOf: (request) => callers.get(request) ?? null,
  }
}

const MAX_TOKEN_LENGTH = 4_096

/** Null for a header that is none, or carries something else. */
export function bearerToken(header: string | undefined): string | null {
  const token = /^bearer +([\w.~+/=-]+) *$/i.exec(header ?? '')?.[1]
  return token === undefined || token.length > MAX_TOKEN_LENGTH ? null : token
}
