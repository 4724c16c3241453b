/** A route put on the server: guard, rate limit, validation, time limit, and its part of /openapi.json. */
import type { Clock } from '@keelson/primitives'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { ApiError } from './api-error.ts'
import { type Asker, type CallerLimits, createCallerLimits } from './caller-limits.ts'
import { checksummed } from './checksummed.ts'
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
  /** Its text is not needed any more. */
  bodyJudged(request: FastifyRequest): void
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
  const limits = createCallerLimits(context.limits, context.limitScale)
  const askerOf = (request: FastifyRequest): Asker => ({ caller: guards.callerOf(request), subscriber: subscriberOf(request) })
  const limitRate: onRequestAsyncHookHandler = (request, reply) => countRequest(route, askerOf(request), reply, limits)
  app.route({
    method: route.method,
    url: route.path,
    schema: describeRoute(route),
    ...(route.bodyBytes === undefined ? {} : { bodyLimit: route.bodyBytes }),
    // counted before the database is asked, so that a request beyond the limit costs it nothing
    onRequest: [...(guard === null ? [] : [guard]), limitRate, ...(guard === null ? [] : [guards.requirePresence])],
    handler: async (request, reply) => {
      const [body, query, params, headers] = validateParts([
        { name: 'body', schema: route.body, sent: await bodyOf(route, request) },
        { name: 'query', schema: route.query, sent: request.query },
        { name: 'path', schema: route.params, sent: request.params },
        { name: 'header', schema: route.headers, sent: request.headers },
      ])
      request.body = undefined
      context.bodyJudged(request)
      const asker = askerOf(request)
      const input = {
        ...{ ...asker, body, query, params, headers, request, reply },
        charge: (requests: number) => countRequest(route, asker, reply, limits, requests),
      }
      const answered =
        limitMs === null
          ? await route.handle({ ...input, signal: stopping })
          : await withTimeLimit(limitMs, clock, stopping, async (signal) => route.handle({ ...input, signal }))
      return route.verbatim === true ? answered : checksummed(answered)
    },
  })
}

/** Counts a request at the endpoint. Throws ApiError 429. */
async function countRequest(route: AnyRoute, asker: Asker, reply: FastifyReply, limits: CallerLimits, requests = 1): Promise<void> {
  const { allowed, limit, of, remaining, resetMs, retryAfterMs } = await limits.take(
    `${route.method} ${route.path}`,
    asker,
    route.limit,
    requests,
  )
  const windowSec = Math.ceil(limit.windowMs / 1000)
  reply.headers({
    'ratelimit-limit': limit.requests,
    'ratelimit-remaining': remaining,
    'ratelimit-reset': Math.ceil(resetMs / 1000),
    'ratelimit-policy': `${limit.requests};w=${windowSec}`,
  })
  if (allowed) return
  const whose = of === 'caller' ? '' : ' of all sessions of a user'
  throw new ApiError(429, `Rate limit exceeded: ${limit.requests} requests per ${windowSec} s${whose}`, {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) },
  })
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
