/**
 * What a route of the API is. Modules give lists of these; the server adds them all and does for each the same: caller,
 * rate limit, validation, time limit, description in /openapi.json. A route states what is its own and answers a value.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { ApiStatus } from './api-error.ts'
import type { RateLimit } from './rate-limits.ts'

/** Which token a route takes; `none` is open to everybody, and so is `session-or-none`, which refuses a wrong token all the same. */
export type RouteAuth = 'none' | 'user' | 'session' | 'either' | 'session-or-none'

export interface UserCaller {
  readonly tier: 'user'
  readonly userId: number
}
export interface SessionCaller {
  readonly tier: 'session'
  readonly userId: number
  readonly sessionId: string
}
export type Caller = UserCaller | SessionCaller

export type CallerOf<A extends RouteAuth> = A extends 'user'
  ? UserCaller
  : A extends 'session'
    ? SessionCaller
    : A extends 'either'
      ? Caller
      : A extends 'session-or-none'
        ? SessionCaller | null
        : null

/** How long an answer may take: 30, 120 and 60 s. A `stream` ends itself. */
export type TimeoutClass = 'standard' | 'research' | 'execution' | 'stream'

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined

export interface RouteInput<A extends RouteAuth, B, Q, P, H = undefined> {
  readonly caller: CallerOf<A>
  readonly body: Parsed<B>
  readonly query: Parsed<Q>
  readonly params: Parsed<P>
  readonly headers: Parsed<H>
  /** IPv4 address, or /64 of an IPv6 address, that the request came from. */
  readonly subscriber: string
  /** Counts it as so many requests more, for one that stands for several. Throws ApiError 429. */
  charge(requests: number): Promise<void>
  /** Aborts when the time of this request is over, or the server stops; not when the client goes away. */
  readonly signal: AbortSignal
  readonly request: FastifyRequest
  /** For headers, and for streams, which hijack it and answer `undefined`. */
  readonly reply: FastifyReply
}

export interface Route<
  A extends RouteAuth,
  B extends z.ZodType | undefined,
  Q extends z.ZodType | undefined,
  P extends z.ZodType | undefined,
  R extends z.ZodType,
  H extends z.ZodType | undefined = undefined,
> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Parameters with a colon: `/api/v1/auth/session/:session_id/name`. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly auth: A
  readonly limit: RateLimit
  /** Default: standard. */
  readonly timeout?: TimeoutClass
  readonly body?: B
  /** The body is a form (urlencoded) rather than JSON. */
  readonly form?: boolean
  /** More is a 413; 10 MB when left out. */
  readonly bodyBytes?: number
  readonly query?: Q
  readonly params?: P
  /** An object by names in lower case; other headers are not judged. */
  readonly headers?: H
  /** Of status 200. What an answer has beyond it is left out; an answer that does not fit is a 500 and a line in the log. */
  readonly answer: R
  /** Media type of the answer; default application/json. */
  readonly answerType?: string
  /** When it answers 202 with a line of text instead. */
  readonly accepted?: string
  /** Statuses it refuses with beside those that follow from the rest (401, 422, 429, 500, 503). */
  readonly refusals?: readonly ApiStatus[]
  /** Bodies of refusals that say more than `detail`, by status. */
  readonly refusalBodies?: Partial<Readonly<Record<ApiStatus, z.ZodType>>>
  /** Headers of an answer of status 200, with what they say. */
  readonly answerHeaders?: Readonly<Record<string, string>>
  /** The answer repeats the caller's input, so addresses in it are not rewritten with their checksum. */
  readonly verbatim?: boolean
  /** Left out of /openapi.json. */
  readonly hidden?: boolean
  handle(input: RouteInput<A, B, Q, P, H>): Promise<z.output<R>> | z.output<R>
}

// biome-ignore lint/suspicious/noExplicitAny: each route has types of its own
export type AnyRoute = Route<any, any, any, any, any, any>

/** Gives its argument back, with the handler's types inferred from its schemas. */
export function defineRoute<
  const A extends RouteAuth,
  R extends z.ZodType,
  B extends z.ZodType | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
  P extends z.ZodType | undefined = undefined,
  H extends z.ZodType | undefined = undefined,
>(route: Route<A, B, Q, P, R, H>): Route<A, B, Q, P, R, H> {
  return route
}
