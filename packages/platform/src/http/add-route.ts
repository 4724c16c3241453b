/** A route put on the server: guard, rate limit, validation, time limit, and its part of /openapi.json. */
import type { Clock } from '@keelson/primitives'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { ApiError } from './api-error.ts'
import type { Guards } from './guards.ts'
import { describeRoute } from './openapi.ts'
import type { RateLimitStore } from './rate-limit-store.ts'
import { readBody } from './request-body.ts'
import type { AnyRoute, RouteAuth, TimeoutClass } from './route.ts'
import { validateParts } from './validate.ts'

export type TimeLimits = Readonly<Record<Exclude<TimeoutClass, 'stream'>, number>>

export const DEFAULT_TIME_LIMITS_MS: TimeLimits = { standard: 30_000, research: 120_000, execution: 60_000 }

export interface RouteContext {
  readonly guards: Guards
  readonly limits: RateLimitStore
  /** All limits are multiplied by it. */
  readonly limitScale: number
  readonly timeLimitsMs: TimeLimits
  readonly clock: Clock
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal
  subscriberOf(request: FastifyRequest): string
}

export function addRoute(app: FastifyInstance, route: AnyRoute, context: RouteContext): void {
  const { guards, stopping, clock, subscriberOf } = context
  const guard = {
    none: null,
    user: guards.requireUser,
    session: guards.requireSession,
    either: guards.requireEither,
    'session-or-none': guards.sessionOrNone,
  }[route.auth as RouteAuth]
  const limitMs = route.timeout === 'stream' ? null : context.timeLimitsMs[(route.timeout ?? 'standard') as keyof TimeLimits]
  app.route({
    method: route.method,
    url: route.path,
    schema: describeRoute(route),
    onRequest: [...(guard === null ? [] : [guard]), createLimitHook(route, context)],
    handler: async (request, reply) => {
      const [body, query, params, headers] = validateParts([
        { name: 'body', schema: route.body, sent: await bodyOf(route, request) },
        { name: 'query', schema: route.query, sent: request.query },
        { name: 'path', schema: route.params, sent: request.params },
        { name: 'header', schema: route.headers, sent: request.headers },
      ])
      const input = { caller: guards.callerOf(request), body, query, params, headers, subscriber: subscriberOf(request), request, reply }
      if (limitMs === null) return route.handle({ ...input, signal: stopping })
      return withTimeLimit(limitMs, clock, stopping, async (signal) => route.handle({ ...input, signal }))
    },
  })
}

function createLimitHook(route: AnyRoute, { guards, limits, limitScale, subscriberOf }: RouteContext): onRequestAsyncHookHandler {
  const limit = { requests: Math.max(1, Math.round(route.limit.requests * limitScale)), windowMs: route.limit.windowMs }
  const windowSec = Math.ceil(limit.windowMs / 1000)
  return async function limitRate(request, reply) {
    const caller = guards.callerOf(request)
    const who = caller === null ? subscriberOf(request) : caller.tier === 'user' ? `user ${caller.userId}` : `session ${caller.sessionId}`
    const verdict = await limits.take(`${route.method} ${route.path} ${who}`, limit)
    reply.headers({
      'ratelimit-limit': limit.requests,
      'ratelimit-remaining': verdict.remaining,
      'ratelimit-reset': Math.ceil(verdict.resetMs / 1000),
      'ratelimit-policy': `${limit.requests};w=${windowSec}`,
    })
    if (verdict.allowed) return
    throw new ApiError(429, `Rate limit exceeded: ${limit.requests} requests per ${windowSec} s`, {
      headers: { 'retry-after': String(Math.max(1, Math.ceil(verdict.retryAfterMs / 1000))) },
    })
  }
}

/** Undefined on a route that looks at none. */
async function bodyOf(route: AnyRoute, { body, headers }: FastifyRequest): Promise<unknown> {
  return route.body === undefined ? undefined : readBody(body, headers['content-type'] ?? '', route.form === true)
}

/** Throws ApiError 503 when the time is over; what still runs then is told by its signal, and its end is nobody's any more. */
async function withTimeLimit<T>(
  limitMs: number,
  clock: Clock,
  stopping: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController()
  const timer = new AbortController()
  const late = clock.sleep(limitMs, timer.signal).then(() => {
    const error = new ApiError(503, `The answer took longer than ${limitMs / 1000} s: try again`, { headers: { 'retry-after': '1' } })
    over.abort(error)
    throw error
  })
  // when the work wins, the timer is aborted and nobody waits for it
  late.catch(() => undefined)
  try {
    return await Promise.race([work(AbortSignal.any([over.signal, stopping])), late])
  } finally {
    timer.abort()
  }
}

/** Every other method on the paths of the routes: 405, saying which there are. */
export function addWrongMethods(
  app: FastifyInstance,
  routes: readonly AnyRoute[],
  refuse: (reply: FastifyReply, allow: string) => unknown,
): void {
  const methodsOf = new Map<string, string[]>()
  for (const { path, method } of routes) methodsOf.set(path, [...(methodsOf.get(path) ?? []), method])
  for (const [url, methods] of methodsOf) {
    const known = methods.includes('GET') ? [...methods, 'HEAD'] : methods
    app.route({
      method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !known.includes(method)),
      url,
      schema: { hide: true },
      handler: async (_request, reply) => refuse(reply, known.join(', ')),
    })
  }
}
