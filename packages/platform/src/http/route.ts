import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { ApiStatus } from './api-error.ts'
import type { RateLimit } from './rate-limits.ts'

/** `session-or-none` allows requests without a token but refuses an invalid one. */
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

interface CallerByAuth {
  readonly none: null
  readonly user: UserCaller
  readonly session: SessionCaller
  readonly either: Caller
  readonly 'session-or-none': SessionCaller | null
}
export type CallerOf<A extends RouteAuth> = CallerByAuth[A]

export type TimeoutClass = 'standard' | 'research' | 'execution' | 'stream'

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined

export interface RouteInput<A extends RouteAuth, B, Q, P, H = undefined> {
  readonly caller: CallerOf<A>
  readonly body: Parsed<B>
  readonly query: Parsed<Q>
  readonly params: Parsed<P>
  readonly headers: Parsed<H>
  readonly subscriber: string
  /** Throws ApiError 429. */
  charge(requests: number): Promise<void>
  /** Aborts at the time limit or server's stop, not on disconnect. */
  readonly signal: AbortSignal
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

type Schema = z.ZodType | undefined

export interface Route<A extends RouteAuth, B extends Schema, Q extends Schema, P extends Schema, R extends z.ZodType, H extends Schema> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly auth: A
  readonly limit: RateLimit
  readonly timeout?: TimeoutClass
  readonly body?: B
  readonly form?: boolean
  readonly bodyBytes?: number
  /** Bytes that a request adds to the database besides its body; it counts for the quotas of the address and, unless it says, the user. */
  readonly stores?: { readonly bytes: number; readonly byUser?: false }
  readonly query?: Q
  readonly params?: P
  readonly headers?: H
  /** An answer that does not match is a 500. */
  readonly answer: R
  readonly answerType?: string
  readonly accepted?: string
  readonly refusals?: readonly ApiStatus[]
  readonly refusalBodies?: Partial<Readonly<Record<ApiStatus, z.ZodType>>>
  readonly answerHeaders?: Readonly<Record<string, string>>
  readonly checksPresence?: boolean
  /** Parses a body of JSON. Throws SyntaxError. */
  readonly parse?: (text: string) => unknown
  /** Changes the JSON text of an answer. */
  readonly rewriteAnswer?: (json: string) => string
  /** Leaves addresses without checksums. */
  readonly verbatim?: boolean
  readonly hidden?: boolean
  handle(input: RouteInput<A, B, Q, P, H>): Promise<z.output<R>> | z.output<R>
}

// biome-ignore lint/suspicious/noExplicitAny: each route has its own types
export type AnyRoute = Route<any, any, any, any, any, any>

export function defineRoute<
  const A extends RouteAuth,
  R extends z.ZodType,
  B extends Schema = undefined,
  Q extends Schema = undefined,
  P extends Schema = undefined,
  H extends Schema = undefined,
>(route: Route<A, B, Q, P, R, H>): Route<A, B, Q, P, R, H> {
  return route
}
