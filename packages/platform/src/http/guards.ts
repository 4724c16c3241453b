/** Authenticates the bearer token before the body is read. */
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { ApiError, unauthorized } from './api-error.ts'
import type { RateLimitStore } from './rate-limit-store.ts'
import { scaledLimit } from './rate-limits.ts'
import type { Caller, RouteAuth } from './route.ts'

export interface Authenticator {
  verify(token: string): Promise<Caller | null>
  isThere(caller: Caller): Promise<boolean>
}

export interface Guards {
  readonly byAuth: Readonly<Record<RouteAuth, onRequestAsyncHookHandler | null>>
  /** Refuses a caller whose session or user was deleted. */
  readonly requirePresence: onRequestAsyncHookHandler
  callerOf(request: FastifyRequest): Caller | null
}

const INVALID = 'Invalid or expired token: log in again'

const WRONG_TOKENS = { requests: 300, windowMs: 60_000 }

export interface GuardContext {
  readonly limits: RateLimitStore
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
  const requireTier = async (request: FastifyRequest, tier: Caller['tier'] | 'either') => {
    const token = bearerToken(request.headers.authorization)
    if (token === null) return refuse(request, 'Not authenticated')
    const caller = await authenticator.verify(token)
    if (caller === null) return refuse(request, INVALID)
    if (tier !== 'either' && caller.tier !== tier)
      return refuse(request, `Invalid token: this endpoint takes a ${tier} token, and this is a ${caller.tier} token`)
    callers.set(request, caller)
  }
  return {
    byAuth: {
      none: null,
      user: (request) => requireTier(request, 'user'),
      session: (request) => requireTier(request, 'session'),
      either: (request) => requireTier(request, 'either'),
      'session-or-none': async (request) => (request.headers.authorization === undefined ? undefined : requireTier(request, 'session')),
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

export function bearerToken(header: string | undefined): string | null {
  const token = /^bearer +([\w.~+/=-]+) *$/i.exec(header ?? '')?.[1]
  return token === undefined || token.length > MAX_TOKEN_LENGTH ? null : token
}
