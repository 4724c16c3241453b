import type { Clock } from '@keelson/primitives'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import type { StorageQuota } from '../storage/storage-quota.ts'
import { ApiError } from './api-error.ts'
import { type Asker, type CallerLimits, createCallerLimits } from './caller-limits.ts'
import { checksummed } from './checksummed.ts'
import type { Guards } from './guards.ts'
import { describeRoute } from './openapi.ts'
import type { RateLimitStore } from './rate-limit-store.ts'
import type { AnyRoute, RouteAuth, TimeoutClass } from './route.ts'
import { withTimeLimit } from './time-limit.ts'
import { readBody } from './validation/request-body.ts'
import { validateParts } from './validation/validate.ts'

export type TimeLimits = Readonly<Record<Exclude<TimeoutClass, 'stream'>, number>>

export const DEFAULT_TIME_LIMITS_MS: TimeLimits = { standard: 30_000, research: 120_000, execution: 60_000 }

export interface RouteContext {
  readonly guards: Guards
  readonly limits: RateLimitStore
  readonly limitScale: number
  readonly timeLimitsMs: TimeLimits
  readonly clock: Clock
  readonly stopping: AbortSignal
  readonly storage: StorageQuota
  subscriberOf(request: FastifyRequest): string
  releaseBody(request: FastifyRequest): void
}

export function addRoute(app: FastifyInstance, route: AnyRoute, context: RouteContext): void {
  const { guards, stopping, clock, subscriberOf } = context
  const guard = guards.byAuth[route.auth as RouteAuth]
  const limitMs = route.timeout === 'stream' ? null : context.timeLimitsMs[(route.timeout ?? 'standard') as keyof TimeLimits]
  const limits = createCallerLimits(context.limits, context.limitScale)
  const { rewriteAnswer } = route
  const askerOf = (request: FastifyRequest): Asker => ({ caller: guards.callerOf(request), subscriber: subscriberOf(request) })
  const limitRate: onRequestAsyncHookHandler = (request, reply) => countRequests(route, askerOf(request), reply, limits)
  app.route({
    method: route.method,
    url: route.path,
    schema: describeRoute(route),
    ...(route.bodyBytes === undefined ? {} : { bodyLimit: route.bodyBytes }),
    ...(rewriteAnswer === undefined
      ? {}
      : {
          onSend: async (_request: unknown, _reply: unknown, payload: unknown) =>
            typeof payload === 'string' ? rewriteAnswer(payload) : payload,
        }),
    onRequest: [
      ...(guard === null ? [] : [guard]),
      limitRate,
      ...(guard === null || route.checksPresence === true ? [] : [guards.requirePresence]),
    ],
    handler: async (request, reply) => {
      const [body, query, params, headers] = await readInput(route, request).catch(async (error) => {
        // The caller of a deleted session gets 401, not a description of its mistakes.
        if (route.checksPresence === true) await guards.requirePresence.call(app, request, reply)
        throw error
      })
      const bodyBytes = typeof request.body === 'string' ? Buffer.byteLength(request.body) : 0
      request.body = undefined
      context.releaseBody(request)
      const asker = askerOf(request)
      if (route.stores !== undefined) {
        const userId = route.stores.byUser === false ? null : (asker.caller?.userId ?? null)
        await context.storage.admit({ userId, subscriber: asker.subscriber }, bodyBytes + route.stores.bytes)
      }
      const charge = (requests: number) => countRequests(route, asker, reply, limits, requests)
      const input = { ...asker, body, query, params, headers, request, reply, charge }
      const answer =
        limitMs === null
          ? await route.handle({ ...input, signal: stopping })
          : await withTimeLimit({ limitMs, clock, signals: [stopping], tooLate: () => tooLate(limitMs) }, async (signal) =>
              route.handle({ ...input, signal }),
            )
      return route.verbatim === true ? answer : checksummed(answer)
    },
  })
}

async function readInput(route: AnyRoute, request: FastifyRequest) {
  const sent = route.body && (await readBody(request.body, request.headers['content-type'] ?? '', route.form === true, route.parse))
  return validateParts([
    { name: 'body', schema: route.body, sent, isText: route.form === true },
    { name: 'query', schema: route.query, sent: request.query, isText: true },
    { name: 'path', schema: route.params, sent: request.params, isText: true },
    { name: 'header', schema: route.headers, sent: request.headers, isText: true },
  ])
}

async function countRequests(route: AnyRoute, asker: Asker, reply: FastifyReply, limits: CallerLimits, requests = 1): Promise<void> {
  const verdict = await limits.take(`${route.method} ${route.path}`, asker, route.limit, requests)
  const { allowed, limit, of, remaining, resetMs, retryAfterMs } = verdict
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

function tooLate(limitMs: number): ApiError {
  return new ApiError(503, `The answer took longer than ${limitMs / 1000} s: try again`, { headers: { 'retry-after': '1' } })
}
